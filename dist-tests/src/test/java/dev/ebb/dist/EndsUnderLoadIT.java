package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is ended while clients use it, gently and not. */
class EndsUnderLoadIT {

  private static final int CLIENTS = 4;
  private static final int ANSWERS = 300;
  private static final int PATIENCE_SECONDS = 120;
  private static final int BY_SIGTERM = 143;

  @TempDir private Path directory;
  private final int port = NodeNetwork.freePorts(1).getFirst();

  private Process serve() throws IOException, InterruptedException {
    Process process =
        new Ebb(directory)
            .configured(
                """
                ebb {
                  pool.size = 16 MiB
                  server.port = %d
                  admin.enabled = false
                  eviction { log = true, log-file = "%s" }
                }
                """
                    .formatted(port, directory.resolve("logs/evictions.log")))
            .start("serve");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!listens()) {
      assertThat(process.waitFor(50, TimeUnit.MILLISECONDS)).as("it has ended").isFalse();
      assertThat(System.nanoTime()).as("it does not listen").isLessThan(end);
    }
    return process;
  }

  private boolean listens() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Loads the process, and ends it in the midst. */
  private List<Future<Long>> load(Process process, Runnable ending) throws InterruptedException {
    AtomicLong answers = new AtomicLong();
    List<Future<Long>> clients = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(threads.submit(new LoadedClient(port, i, answers)));
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (answers.get() < ANSWERS) {
        assertThat(System.nanoTime()).as("%s answers", answers).isLessThan(end);
        Thread.sleep(10);
      }
      ending.run();
    }
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return clients;
  }

  private void endGently(Process process) throws Exception {
    for (Future<Long> client : load(process, process::destroy)) {
      assertThat(client.get()).isPositive();
    }
    assertThat(process.exitValue()).isEqualTo(BY_SIGTERM);
  }

  @Test
  void afterSigtermEveryAnswerIsWhole() throws Exception {
    Process process = serve();
    try {
      endGently(process);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void afterBeingKilledTheNextStartServes() throws Exception {
    Process killed = serve();
    try {
      // In the midst of an answer, perhaps: what clients saw is nobody's promise.
      assertThat(load(killed, killed::destroyForcibly)).hasSize(CLIENTS);
    } finally {
      killed.destroyForcibly();
    }
    Path log = directory.resolve("logs/evictions.log");
    long logged = Files.size(log);
    Process next = serve();
    try {
      endGently(next);
      // What was written before is still there, and more has come.
      assertThat(Files.size(log)).isGreaterThan(logged);
    } finally {
      next.destroyForcibly();
    }
  }
}
