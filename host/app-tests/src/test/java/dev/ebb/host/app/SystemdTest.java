package dev.ebb.host.app;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.testing.Awaiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reports to a datagram socket, which Python opens as systemd does: the JDK has none. */
@Timeout(60)
class SystemdTest {

  private static final String RECEIVER =
      """
      import socket, sys
      path = sys.argv[1]
      receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      receiver.bind('\\0' + path[1:] if path.startswith('@') else path)
      print('bound', flush=True)
      while True:
          state = receiver.recv(4096).decode()
          print(state, flush=True)
          if state == 'STOPPING=1':
              break
      """;

  @TempDir private Path folder;

  private static Process receiver(String socket) throws IOException {
    try {
      return new ProcessBuilder("python3", "-c", RECEIVER, socket)
          .redirectErrorStream(true)
          .start();
    } catch (IOException missing) {
      assumeTrue(false, "no python3 to receive datagrams");
      throw missing;
    }
  }

  @Test
  void readyAndStoppingAreReported() throws Exception {
    for (String socket :
        List.of(
            folder.resolve("notify").toString(), "@ebb-test-" + ProcessHandle.current().pid())) {
      Process python = receiver(socket);
      try (BufferedReader lines = python.inputReader(StandardCharsets.UTF_8)) {
        assertThat(lines.readLine()).isEqualTo("bound");
        Systemd systemd =
            requireNonNull(Systemd.ready(Map.of("NOTIFY_SOCKET", socket), within -> true));
        assertThat(lines.readLine()).isEqualTo("READY=1");
        systemd.close();
        assertThat(lines.readLine()).isEqualTo("STOPPING=1");
      } finally {
        python.destroy();
      }
    }
  }

  @Test
  void aliveIsReportedOnlyWhileTheProcessAnswers() throws Exception {
    String socket = folder.resolve("notify").toString();
    Process python = receiver(socket);
    AtomicInteger questions = new AtomicInteger();
    try (BufferedReader lines = python.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).isEqualTo("bound");
      Systemd systemd =
          requireNonNull(
              Systemd.ready(
                  Map.of(
                      "NOTIFY_SOCKET",
                      socket,
                      "WATCHDOG_USEC",
                      "40000",
                      "WATCHDOG_PID",
                      Long.toString(ProcessHandle.current().pid())),
                  within -> {
                    assertThat(within).isEqualTo(Duration.ofMillis(10));
                    return questions.incrementAndGet() <= 3;
                  }));
      for (String state : List.of("READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1")) {
        assertThat(lines.readLine()).isEqualTo(state);
      }
      Awaiting.until(() -> questions.get() > 6);
      systemd.close();
      assertThat(lines.readLine()).isEqualTo("STOPPING=1");
    } finally {
      python.destroy();
    }
  }

  @Test
  void withoutSystemdNothingIsReported() throws IOException {
    assertThat(Systemd.ready(Map.of(), within -> true)).isNull();
    assertThat(Systemd.ready(Map.of("NOTIFY_SOCKET", ""), within -> true)).isNull();
  }

  @Test
  void aMissingSocketIsAFailure() {
    String socket = folder.resolve("missing").toString();
    assertThatThrownBy(() -> Systemd.ready(Map.of("NOTIFY_SOCKET", socket), within -> true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'" + socket + "'");
  }
}
