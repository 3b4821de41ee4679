package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.resp.RespOptions;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.testing.Awaiting;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values of clients in the memory of a GPU. */
class CudaStoreTest {

  private static final int INVALID_VALUE = 1;
  private static final String CHUNK = "llama@1@0@ab@half@";

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(1, 64 << 20);
  }

  @Test
  void everyValueIsReadAsItWasWritten() {
    Random random = new Random(5);
    Map<String, byte[]> model = new HashMap<>();
    try (CudaDevice gpu = CudaDevice.open(0);
        ObjectStore store = store(gpu)) {
      assertThat(store.device().name()).isEqualTo("cuda:0");
      for (int step = 0; step < 1_500; step++) {
        String key =
            List.of("k" + random.nextInt(8), CHUNK + "kv_bytes", CHUNK + "metadata")
                .get(random.nextInt(3));
        byte[] value = new byte[random.nextInt(key.endsWith("metadata") ? 300 : 200_000)];
        random.nextBytes(value);
        switch (random.nextInt(4)) {
          case 0, 1 -> {
            set(store, key, value);
            model.put(key, value);
          }
          case 2 -> assertThat(get(store, key)).isEqualTo(model.get(key));
          default -> assertThat(store.delete(bytes(key))).isEqualTo(model.remove(key) != null);
        }
      }
      store.clear();
      assertThat(store.stats().usedBytes()).isZero();
    }
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.pageableCopies()).isZero();
  }

  @Test
  void clientsReadWhatTheyHaveWritten() throws IOException {
    try (CudaDevice gpu = CudaDevice.open(0);
        ObjectStore store = store(gpu);
        RespServer server =
            RespServer.start(store, RemoteValues.NONE, RequestRouter.NONE, options(null));
        Socket client = new Socket(server.address().getAddress(), server.address().getPort())) {
      for (int length : List.of(0, 1, 300, 16_384, 16_385, 65_536, 5_000_000)) {
        byte[] value = new byte[length];
        new Random(length).nextBytes(value);
        OutputStream out = client.getOutputStream();
        out.write(bytes("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n".formatted(length)));
        out.write(value);
        out.write(bytes("\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"));
        String header = "+OK\r\n$%d\r\n".formatted(length);
        InputStream in = client.getInputStream();
        assertThat(in.readNBytes(header.length())).isEqualTo(bytes(header));
        assertThat(in.readNBytes(length)).isEqualTo(value);
        assertThat(in.readNBytes(2)).isEqualTo(bytes("\r\n"));
      }
      assertThat(store.stats().reading()).isZero();
    }
  }

  @Test
  void anotherProcessMovesValuesInTheMemoryOfTheGpu(@TempDir Path folder) throws IOException {
    Path socket = folder.resolve("ebb.sock");
    byte[] ours = IpcClient.value(500_000);
    try (CudaDevice gpu = CudaDevice.open(0);
        ObjectStore store = store(gpu);
        RespServer server =
            RespServer.start(store, RemoteValues.NONE, RequestRouter.NONE, options(socket))) {
      assertThat(server.unixSocket()).isEqualTo(socket);
      set(store, "ours", ours);
      Process process = IpcClient.start(socket);
      try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
        assertThat(output.readLine()).isEqualTo("" + Arrays.hashCode(ours));
        assertThat(get(store, "theirs")).isEqualTo(IpcClient.value(300_000));
        assertThat(get(store, "half")).isNull();
        assertThat(store.stats().reading()).isEqualTo(1);
      } finally {
        process.destroyForcibly();
      }
      Awaiting.until(() -> store.stats().reading() == 0);
      Awaiting.until(() -> store.stats().usedBytes() == (5 + 8) * 65_536);
      assertThat(get(store, "half")).isNull();
    }
  }

  private static RespOptions options(@Nullable Path unixSocket) {
    return new RespOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        unixSocket,
        null,
        null,
        List.of(),
        RespOptions.DEFAULT_MAX_VALUE_BYTES,
        true,
        1,
        ClientLimits.defaults(),
        PriorityScale.LARGER_FIRST);
  }

  @Test
  void aCopyThatFailsStoresNothing() {
    try (CudaDevice gpu = CudaDevice.open(0);
        ObjectStore store = store(gpu)) {
      set(store, "k", new byte[100_000]);
      long used = store.stats().usedBytes();
      TestDriver.fail("cuMemcpyHtoDAsync_v2", 1, INVALID_VALUE);
      assertThatThrownBy(() -> set(store, "k", new byte[200_000]))
          .isInstanceOf(DeviceException.class);
      assertThat(store.stats().usedBytes()).isEqualTo(used);
      assertThat(get(store, "k")).isEqualTo(new byte[100_000]);
      set(store, "k", new byte[200_000]);
      assertThat(get(store, "k")).isEqualTo(new byte[200_000]);
    }
  }

  @Test
  void anAttachmentSurvivesCopiesThatFail() {
    try (CudaDevice gpu = CudaDevice.open(0);
        ObjectStore store = store(gpu)) {
      set(store, CHUNK + "metadata", new byte[28]);
      set(store, "warm", new byte[1]);
      TestDriver.fail("cuMemcpyDtoHAsync_v2", 1, INVALID_VALUE);
      set(store, CHUNK + "kv_bytes", new byte[100_000]);
      assertThat(get(store, CHUNK + "metadata")).isEqualTo(new byte[28]);
      assertThat(get(store, CHUNK + "kv_bytes")).isEqualTo(new byte[100_000]);
      store.clear();
      assertThat(store.stats().usedBytes()).isZero();
    }
  }

  private static ObjectStore store(CudaDevice gpu) {
    return new ObjectStore(
        gpu, StoreOptions.of(32 << 20, Duration.ofHours(1), 3), TimeSource.SYSTEM);
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private static void set(ObjectStore store, String key, byte[] value) {
    try (ValueWriter writer = store.write(bytes(key), value.length)) {
      writer.write(ByteBuffer.wrap(value));
      writer.commit(SetOptions.PLAIN);
    }
  }

  private static byte @Nullable [] get(ObjectStore store, String key) {
    ValueReader reader = store.get(bytes(key));
    if (reader == null) {
      return null;
    }
    try (reader) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      while (out.size() < reader.length()) {
        ByteBuffer piece = reader.piece(out.size(), 50_000);
        byte[] bytes = new byte[piece.remaining()];
        piece.get(bytes);
        out.writeBytes(bytes);
      }
      return out.toByteArray();
    }
  }
}
