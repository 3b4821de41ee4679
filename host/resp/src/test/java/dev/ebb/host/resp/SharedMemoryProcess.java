package dev.ebb.host.resp;

import dev.ebb.host.testing.JavaProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The main class of another process: it writes and reads values, and is killed in between. */
final class SharedMemoryProcess {

  private SharedMemoryProcess() {}

  /** The value that this process stores. */
  static byte[] value(int bytes) {
    byte[] value = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      value[i] = (byte) (i * 31 + i / 251);
    }
    return value;
  }

  /** Stores 'theirs', leases 'ours', writes half of 'half', and waits to be killed. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    try (SharedMemoryClient client = new SharedMemoryClient(Path.of(arguments[0]))) {
      client.put("theirs", value(300_000));
      byte[] ours = client.read(SharedMemoryClient.ranges(client.client.call("EBB.LEASE", "ours")));
      long half = client.place("half", 400_000).getFirst().offset();
      client.write(List.of(new SharedMemoryClient.Range(half, 50_000)), value(50_000));
      System.out.println(Arrays.hashCode(ours));
      System.out.flush();
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  static Process start(Path socket) throws IOException {
    return JavaProcess.of(List.of("-Xmx64m"), SharedMemoryProcess.class, socket.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  static String firstLine(Process process) throws IOException {
    return String.valueOf(process.inputReader(StandardCharsets.UTF_8).readLine());
  }
}
