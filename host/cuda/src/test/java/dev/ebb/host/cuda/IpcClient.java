package dev.ebb.host.cuda;

import dev.ebb.host.testing.JavaProcess;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/** The main class of another process: it moves values in the memory of a GPU, and is killed. */
final class IpcClient {

  private final InputStream in;
  private final OutputStream out;

  private IpcClient(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    in = new BufferedInputStream(Channels.newInputStream(channel));
    out = Channels.newOutputStream(channel);
  }

  /** Stores 'theirs', leases 'ours' and prints its hash, places 'half', and waits to be killed. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    TestDriver.reset(1, 64 << 20);
    JcudaNatives.load();
    CUdevice device = new CUdevice();
    CUcontext context = new CUcontext();
    check(JCudaDriver.cuInit(0));
    check(JCudaDriver.cuDeviceGet(device, 0));
    check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
    check(JCudaDriver.cuCtxSetCurrent(context));
    IpcClient client = new IpcClient(Path.of(arguments[0]));
    List<?> map = (List<?>) client.call("EBB.MAP");
    List<?> part = (List<?>) ((List<?>) map.get(2)).getFirst();
    CUdeviceptr memory = new CUdeviceptr();
    check(JCudaDriver.cuIpcOpenMemHandle(memory, IpcHandles.of((byte[]) part.get(2)), 1));

    byte[] theirs = value(300_000);
    client.write(memory, first(client.call("EBB.PLACE", "KEYS", "theirs", "300000")), theirs);
    client.call("EBB.COMMIT", "theirs");
    byte[] ours = client.read(memory, first(client.call("EBB.LEASE", "ours")), 500_000);
    client.call("EBB.PLACE", "KEYS", "half", "400000");
    System.out.println(Arrays.hashCode(ours));
    System.out.flush();
    Thread.sleep(Long.MAX_VALUE);
  }

  private static Object first(Object values) {
    return ((List<?>) values).getFirst();
  }

  static byte[] value(int bytes) {
    byte[] value = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      value[i] = (byte) (i * 31 + i / 251);
    }
    return value;
  }

  static Process start(Path socket) throws IOException {
    return JavaProcess.of(List.of("-Xmx64m"), IpcClient.class, socket.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private void write(CUdeviceptr memory, Object ranges, byte[] value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(value.length);
      host.copyFrom(MemorySegment.ofArray(value));
      long at = 0;
      for (Object each : (List<?>) ranges) {
        long offset = (Long) ((List<?>) each).get(0);
        long length = (Long) ((List<?>) each).get(1);
        check(
            JCudaDriver.cuMemcpyHtoD(
                memory.withByteOffset(offset), DevicePointer.host(host.address() + at), length));
        at += length;
      }
    }
  }

  private byte[] read(CUdeviceptr memory, Object ranges, int bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(bytes);
      long at = 0;
      for (Object each : (List<?>) ranges) {
        long offset = (Long) ((List<?>) each).get(0);
        long length = (Long) ((List<?>) each).get(1);
        check(
            JCudaDriver.cuMemcpyDtoH(
                DevicePointer.host(host.address() + at), memory.withByteOffset(offset), length));
        at += length;
      }
      ByteBuffer copy = host.asByteBuffer();
      byte[] value = new byte[bytes];
      copy.get(value);
      return value;
    }
  }

  private static void check(int result) {
    if (result != 0) {
      throw new IllegalStateException("the driver answers '%d'".formatted(result));
    }
  }

  private Object call(String... words) throws IOException {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
    return reply();
  }

  private Object reply() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      line.append((char) c);
    }
    String rest = line.substring(1).strip();
    return switch (line.charAt(0)) {
      case ':' -> Long.parseLong(rest);
      case '$' -> {
        byte[] bytes = in.readNBytes(Integer.parseInt(rest));
        in.skipNBytes(2);
        yield bytes;
      }
      case '*' -> {
        List<Object> all = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(rest); i++) {
          all.add(reply());
        }
        yield all;
      }
      case '+' -> rest;
      default -> throw new IOException(line.toString());
    };
  }
}
