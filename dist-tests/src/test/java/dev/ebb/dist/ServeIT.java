package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process as a user starts and stops it. */
class ServeIT {

  private static final Pattern LISTENING =
      Pattern.compile("ebb: serving RESP on 127\\.0\\.0\\.1:(\\d+), pool 16 MiB, policy (\\S+)");

  @TempDir private Path directory;

  @Test
  void servesUntilItIsStopped() throws IOException, InterruptedException {
    serve("lru");
  }

  @Test
  void servesTenantsWithQuotasAndNewcomersOnProbation() throws IOException, InterruptedException {
    Files.writeString(
        directory.resolve("ebb.conf"),
        "ebb { tenants.acme.quota = \"25 %\", eviction.min-access-count = 2 }");
    serve("sieve");
  }

  private void serve(String policy) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
                Ebb.launcher(),
                "serve",
                "--port",
                "0",
                "--admin-port",
                "0",
                "--pool-size",
                "16 MiB",
                "--eviction-policy",
                policy)
            .directory(directory.toFile())
            .redirectError(directory.resolve("err").toFile());
    builder.environment().put("EBB_JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    try (BufferedReader out = process.inputReader()) {
      String line = out.readLine();
      assertThat(line).isNotNull();
      Matcher matcher = LISTENING.matcher(line);
      assertThat(matcher.matches()).as(line).isTrue();
      assertThat(matcher.group(2)).isEqualTo(policy);
      storm(Integer.parseInt(matcher.group(1)));
      process.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143);
    } finally {
      process.destroyForcibly();
    }
    assertThat(directory.resolve("err"))
        .content()
        .matches("\\S+Z ebb: stopping, because the process received SIGTERM\n");
  }

  /** More than fits. */
  private static void storm(int port) throws IOException {
    byte[] value = new byte[300_000];
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(30_000);
      InputStream in = socket.getInputStream();
      for (int i = 0; i < 80; i++) {
        String head = "*3\r\n$3\r\nSET\r\n$4\r\n%04d\r\n$300000\r\n".formatted(i);
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(value);
        socket.getOutputStream().write('\r');
        socket.getOutputStream().write('\n');
        assertThat(new String(in.readNBytes(5), StandardCharsets.US_ASCII)).isEqualTo("+OK\r\n");
      }
      socket
          .getOutputStream()
          .write("*2\r\n$3\r\nGET\r\n$4\r\n0079\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(in.readNBytes(9), StandardCharsets.US_ASCII)).isEqualTo("$300000\r\n");
      assertThat(in.readNBytes(value.length)).isEqualTo(value);
    }
  }
}
