package dev.ebb.router.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.llama.testing.Engine;
import dev.ebb.router.choice.RoutedEngine;
import dev.ebb.router.choice.RoutingPolicy;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes with llama.cpp behind the router. The last test kills one of them. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(300)
class RealEnginesTest {

  private static final int CELLS = 1_024;

  @TempDir private static Path folder;
  private static RealEngines engines;

  @BeforeAll
  static void start() throws Exception {
    Engine.assumeRuns();
    engines = new RealEngines(folder, 3, CELLS);
  }

  @AfterAll
  static void stop() {
    if (engines != null) {
      engines.close();
    }
  }

  private static int[] tokens(Random random, int length) {
    return random.ints(length, 3 + 'a', 3 + 'z').toArray();
  }

  private static String text(String body) {
    StringBuilder text = new StringBuilder();
    for (String line : body.lines().toList()) {
      String document = line.replaceFirst("^data:", "").strip();
      if (document.startsWith("{")) {
        RealEngines.JSON
            .readTree(document)
            .path("choices")
            .forEach(choice -> text.append(choice.path("text").stringValue("")));
      }
    }
    return text.toString();
  }

  @Test
  @Order(1)
  void greedyAnswersAreThoseOfAnEngine() throws Exception {
    Random random = new Random(7);
    try (RouterServer router = engines.route(RoutingPolicy.ROUND_ROBIN)) {
      for (int i = 0; i < 12; i++) {
        int[] prompt = tokens(random, 20 + random.nextInt(100));
        String direct = text(engines.complete(engines.url(0), prompt, 8, false, "direct").body());
        HttpResponse<String> routed =
            engines.complete(RealEngines.url(router), prompt, 8, i % 2 == 0, "routed");
        assertThat(text(routed.body())).as(routed.body()).hasSizeGreaterThan(2).isEqualTo(direct);
        assertThat(routed.body()).doesNotContain(i % 2 == 0 ? "usage" : "data:");
      }
      assertThat(router.status().engines())
          .allSatisfy(each -> {
            assertThat(each.requests()).isEqualTo(4);
            // Also those of streams, whose clients have not asked for the usage.
            assertThat(each.promptTokens()).isGreaterThan(80);
          });
    }
  }

  @Test
  @Order(2)
  void chatsComputeLessThanWithRoundRobin() throws Exception {
    List<List<int[]>> clients = new ArrayList<>();
    int[] system = tokens(new Random(0), 32);
    // Not as many as engines: clients in step would always have the same engine in turn.
    for (int client = 0; client < 4; client++) {
      Random random = new Random(client);
      List<int[]> prompts = new ArrayList<>();
      for (int chat = 0; chat < 2; chat++) {
        int[] history = tokens(random, 32 + 8 * 32);
        System.arraycopy(system, 0, history, 0, 32);
        for (int turn = 1; turn <= 8; turn++) {
          prompts.add(Arrays.copyOf(history, 32 + 32 * turn));
        }
      }
      clients.add(prompts);
    }
    long prefix = engines.computed(RoutingPolicy.PREFIX, clients);
    long turns = engines.computed(RoutingPolicy.ROUND_ROBIN, clients);
    assertThat(prefix).isLessThan((long) (0.7 * turns));
  }

  @Test
  @Order(3)
  void aKilledEngineLosesNoRequestThatHasNotBegun() throws Exception {
    Semaphore answered = new Semaphore(0);
    try (RouterServer router = engines.route(RoutingPolicy.LEAST_LOADED);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<List<HttpResponse<String>>>> clients = new ArrayList<>();
      for (int client = 0; client < 9; client++) {
        Random random = new Random(100 + client);
        clients.add(
            threads.submit(() -> {
              List<HttpResponse<String>> responses = new ArrayList<>();
              for (int i = 0; i < 6; i++) {
                responses.add(
                    engines.complete(
                        RealEngines.url(router), tokens(random, 60), 24, false, "killed"));
                answered.release();
              }
              return responses;
            }));
      }
      answered.acquire(12);
      engines.kill(1);
      for (Future<List<HttpResponse<String>>> client : clients) {
        for (HttpResponse<String> response : client.get()) {
          assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
          assertThat(text(response.body())).as(response.body()).isNotEmpty();
        }
      }
      RoutedEngine.Report killed = router.status().engines().get(1);
      while (killed.state() != RoutedEngine.State.DOWN || killed.running() > 0) {
        Thread.sleep(10);
        killed = router.status().engines().get(1);
      }
      assertThat(killed.requests()).isPositive();
    }
  }
}
