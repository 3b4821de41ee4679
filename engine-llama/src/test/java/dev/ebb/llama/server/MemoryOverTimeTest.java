package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.llama.testing.Engine;
import dev.ebb.llama.testing.TinyModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of a server over many requests, whose clients sometimes disconnect. */
@Tag("stress")
class MemoryOverTimeTest {

  private static final int CELLS = 2_048;
  private static final int ROUNDS = 10;
  private static final int REQUESTS = 1_000;
  private static final int CLIENTS = 4;
  private static final long MEBI = 1 << 20;

  @TempDir private Path folder;

  private record Sample(long resident, long heap, int cells, int branches) {}

  @Test
  void staysFlatOverTenThousandRequests() throws Exception {
    Engine.assumeRuns();
    Path model = new TinyModel().write(folder.resolve("tiny.gguf"));
    List<Sample> samples = new ArrayList<>();
    try (TestServer server =
        TestServer.start(model, TestServer.configure(folder), CELLS, 4, "lru")) {
      for (int round = 0; round < ROUNDS; round++) {
        serve(server, round);
        samples.add(sample(server));
      }
      assertThat(server.requests().ended("abort")).isPositive();
      assertThat(server.server.ebb().stats().openSequences()).isZero();
    }
    // The first rounds load classes, compile, and fill the cells.
    Sample early = samples.get(2);
    Sample last = samples.getLast();
    assertThat(last.heap).isLessThan(early.heap + 4 * MEBI);
    assertThat(last.resident).isLessThan(early.resident + early.resident / 10);
    assertThat(samples)
        .allSatisfy(sample -> {
          assertThat(sample.cells).isZero();
          assertThat(sample.branches).isZero();
        });
  }

  /** Serves requests of conversations; each tenth client disconnects. */
  private static void serve(TestServer server, int round) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> clients = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        int first = round * REQUESTS + client;
        clients.add(
            threads.submit(() -> {
              for (int i = first; i < (round + 1) * REQUESTS; i += CLIENTS) {
                request(server, i);
              }
              return first;
            }));
      }
      for (Future<?> client : clients) {
        client.get();
      }
    }
    Awaiting.until(() -> server.requests().running() == 0 && server.requests().waiting() == 0);
  }

  private static void request(TestServer server, int number) throws IOException {
    if (number % 10 == 0) {
      server.cancelled(number / 10 % 100);
    } else {
      int user = number % 97;
      server.complete(
          TestServer.join(
              TestServer.prompt(user, 20 + number % 7 * 8), TestServer.prompt(number, 10)),
          8);
    }
  }

  // The report of the test.
  @SuppressWarnings("SystemOut")
  private static Sample sample(TestServer server) throws IOException {
    System.gc();
    Runtime heap = Runtime.getRuntime();
    Sample sample =
        new Sample(
            resident(),
            heap.totalMemory() - heap.freeMemory(),
            server.memory().context().cells().used(),
            server.memory().cells().branches());
    System.out.printf(
        "%,d requests, %,d cancelled: resident %d MiB, heap %.1f MiB, %d cells, %d sequences%n",
        server.requests().ended("length"),
        server.requests().ended("abort"),
        sample.resident / MEBI,
        (double) sample.heap / MEBI,
        sample.cells,
        sample.branches);
    return sample;
  }

  private static long resident() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      String line = lines.filter(each -> each.startsWith("VmRSS:")).findFirst().orElseThrow();
      return 1_024 * Long.parseLong(line.replaceAll("\\D", ""));
    }
  }
}
