package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cli.serve.ShutdownWatchdog;
import dev.ebb.host.testing.JavaProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ShutdownWatchdogTest {

  /** A process whose main thread never closes what it has opened. */
  static final class NeverCloses {

    private NeverCloses() {}

    static void main() throws InterruptedException {
      CountDownLatch closed = new CountDownLatch(1);
      ShutdownWatchdog.start(
          new PrintWriter(System.err, true), Thread.currentThread(), closed, Duration.ofSeconds(1));
      closed.await();
    }
  }

  @Test
  void aProcessThatIsNotClosedInTimeEndsAndSaysWhereItWaits()
      throws IOException, InterruptedException {
    Process process = JavaProcess.of(NeverCloses.class).redirectErrorStream(true).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

    assertThat(process.waitFor()).isEqualTo(143);
    assertThat(output)
        .endsWith(
            "ebb: not closed within 1 s, at dev.ebb.host.cli.ShutdownWatchdogTest$NeverCloses.main;"
                + " the process ends nevertheless");
  }
}
