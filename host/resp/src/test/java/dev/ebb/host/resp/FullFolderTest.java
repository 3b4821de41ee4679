package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.ebb.host.testing.SmallFileSystem;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Truncated files, whose pages fail as those of a full file system do. */
class FullFolderTest {

  private static final int BYTES = 8 << 20;

  @TempDir private Path folder;

  @Test
  void aFailedWriteIsRecognized() throws IOException {
    Path file = folder.resolve("pool");
    try (Arena arena = Arena.ofShared();
        FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
      channel.truncate(0);
      Throwable failed = catchThrowable(() -> memory.set(ValueLayout.JAVA_BYTE, 4_096, (byte) 1));
      assertThat(failed).isInstanceOf(InternalError.class);
      assertThat(Connections.isUnwritten(failed)).isTrue();
    }
    assertThat(Connections.isUnwritten(new IOException("recvAddress(..) failed: Bad address")))
        .isTrue();
    assertThat(Connections.isUnwritten(new InternalError("other"))).isFalse();
    assertThat(Connections.isUnwritten(new IOException("Connection reset by peer"))).isFalse();
    assertThat(Connections.isUnwritten(new IllegalStateException())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 5_000, 300_000, 3_000_000})
  void aFailedWriteEndsOnlyItsConnection(int bytes) throws IOException {
    try (RunningServer server =
            RunningServer.shared(BYTES, folder.resolve("ebb.sock"), folder, false);
        RawClient other = new RawClient(server.port())) {
      truncatePool();
      try (RawClient client = new RawClient(server.port())) {
        assertThatThrownBy(() -> client.call("SET", "k", "x".repeat(bytes)))
            .isInstanceOf(IOException.class);
      }
      assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
      assertThat(other.call("GET", "k")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void valuesAreStoredAfterOthersHaveFilledTheFolder() throws IOException, InterruptedException {
    Path socket = Files.createTempDirectory("ebb").resolve("ebb.sock");
    try (SmallFileSystem small = SmallFileSystem.mount(folder, 12);
        RunningServer server = RunningServer.shared(BYTES, socket, small.folder(), false);
        RawClient client = new RawClient(server.port())) {
      small.fill();
      String value = "x".repeat(60_000);
      for (int i = 0; i < 100; i++) {
        assertThat(client.call("SET", "k" + i, value)).isEqualTo("+OK\r\n");
      }
      assertThat(client.call("GET", "k99")).contains(value);
    } finally {
      Files.delete(socket.getParent());
    }
  }

  private void truncatePool() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    assertThat(files).hasSize(1);
    try (FileChannel channel = FileChannel.open(files.getFirst(), StandardOpenOption.WRITE)) {
      channel.truncate(0);
    }
  }
}
