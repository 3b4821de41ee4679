package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.testing.TinyModel;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The server over the real library, against llama.cpp alone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LlamaServerTest {

  private static final int ANSWER = 24;
  private static final int REQUESTS = Histories.times(200);

  /** The largest difference of two logits that rounding can invert; the logits vary by some 1. */
  private static final float ROUNDING = 0.002f;

  private Path config;
  private Path file;
  private LlamaModel model;

  @BeforeAll
  void open(@TempDir Path folder) throws IOException {
    config = TestServer.configure(folder);
    file = new TinyModel().write(folder.resolve("tiny.gguf"));
    model = LlamaModel.open(file);
  }

  @AfterAll
  void close() {
    if (model != null) {
      model.close();
    }
  }

  private TestServer start(int cells, int parallel, String policy) {
    return TestServer.start(file, config, cells, parallel, policy);
  }

  private void assertAlone(JsonNode answer, int[] prompt, int tokens) {
    assertThat(TestServer.text(answer))
        .isEqualTo(TestServer.text(model, TestServer.alone(model, prompt, tokens)));
  }

  /**
   * The batch depends on which requests run together, and with it the order of sums. So two nearly
   * equal logits can change places.
   */
  private void assertGreedy(JsonNode answer, int[] prompt, int tokens) {
    int[] given = TestServer.tokens(answer);
    assertThat(given).hasSize(tokens);
    assertThat(TestServer.distanceFromGreedy(model, prompt, given)).isLessThan(ROUNDING);
  }

  @Test
  void theCheckForGreedyAnswersFindsAnotherContext() {
    int[] prompt = TestServer.prompt(1, 50);
    int[] changed = prompt.clone();
    changed[20]++;
    int[] answer = TestServer.alone(model, changed, ANSWER);
    assertThat(TestServer.distanceFromGreedy(model, prompt, answer)).isGreaterThan(10 * ROUNDING);
  }

  @Test
  void turnsOfAConversationReuseThePrefixAndAnswerTheSame() {
    try (TestServer server = start(1_024, 4, "lru")) {
      int[] prompt = TestServer.prompt(1, 50);
      for (int turn = 0; turn < 5; turn++) {
        JsonNode answer = server.complete(prompt, ANSWER);
        int[] tokens = TestServer.alone(model, prompt, ANSWER);
        assertThat(TestServer.text(answer)).isEqualTo(TestServer.text(model, tokens));
        assertThat(TestServer.cached(answer))
            .isEqualTo(turn == 0 ? 0 : wholeBlocks(prompt.length - 11));
        prompt = TestServer.join(TestServer.join(prompt, tokens), TestServer.prompt(turn, 10));
      }
    }
  }

  /** Nothing was computed from the last token of an answer. */
  private static int wholeBlocks(int tokens) {
    return tokens / TestServer.BLOCK * TestServer.BLOCK;
  }

  @Test
  void aPromptThatIsCachedAsAWholeAnswersTheSame() {
    try (TestServer server = start(1_024, 4, "lru")) {
      int[] prompt = TestServer.prompt(2, 6 * TestServer.BLOCK);
      assertAlone(server.complete(prompt, ANSWER), prompt, ANSWER);
      JsonNode again = server.complete(prompt, ANSWER);
      assertAlone(again, prompt, ANSWER);
      assertThat(TestServer.cached(again)).isEqualTo(prompt.length - 1);
      assertThat(unaccounted(server)).isZero();
    }
  }

  @Test
  void flashAttentionReusesPrefixesToo() {
    SchedulerOptions scheduler =
        new SchedulerOptions(
            4, 64, 16, Duration.ofMinutes(2), false, Duration.ofSeconds(10), 1_024);
    try (TestServer server = TestServer.start(file, config, 1_024, scheduler, "lru", true)) {
      int[] prompt = TestServer.prompt(4, 100);
      JsonNode first = server.complete(prompt, ANSWER);
      JsonNode again = server.complete(prompt, ANSWER);
      assertThat(TestServer.cached(again)).isEqualTo(wholeBlocks(prompt.length));
      assertThat(TestServer.text(again)).isEqualTo(TestServer.text(first));
      assertThat(unaccounted(server)).isZero();
    }
  }

  /** Returns how many cells are used, while nothing runs. */
  private static int unaccounted(TestServer server) {
    return server.memory().context().cells().used() + server.memory().cells().branches();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lru", "fifo"})
  void evictionChangesNoAnswer(String policy) throws Exception {
    // The prompts have three times as many tokens as there are cells.
    try (TestServer server = start(512, 4, policy)) {
      int[][] prompts =
          IntStream.range(0, 24)
              .mapToObj(
                  i -> TestServer.join(TestServer.prompt(i % 8, 40), TestServer.prompt(i, 20)))
              .toArray(int[][]::new);
      for (int round = 0; round < 2; round++) {
        runAll(server, prompts, ANSWER, 4);
      }
      assertThat(server.server.ebb().stats().devices().getFirst().evictedEntries()).isPositive();
      assertThat(unaccounted(server)).isZero();
    }
  }

  private void runAll(TestServer server, int[][] prompts, int tokens, int clients)
      throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
      List<Future<JsonNode>> answers = new ArrayList<>();
      for (int i = 0; i < prompts.length; i++) {
        int[] prompt = prompts[i];
        int priority = i % 3;
        answers.add(threads.submit(() -> server.complete(prompt, tokens, priority)));
      }
      for (int i = 0; i < prompts.length; i++) {
        assertGreedy(answers.get(i).get(), prompts[i], tokens);
      }
    }
  }

  @Test
  void preemptionChangesNoAnswer() throws Exception {
    // Four prompts fit, but not with their answers.
    try (TestServer server = start(512, 8, "lru")) {
      int[][] prompts =
          IntStream.range(0, 16).mapToObj(i -> TestServer.prompt(i, 40)).toArray(int[][]::new);
      runAll(server, prompts, 150, 8);
      assertThat(server.requests().preemptions()).isPositive();
      assertThat(server.server.ebb().stats().sum(device -> device.traffic().preempted()))
          .isEqualTo(server.requests().preemptions());
      assertThat(unaccounted(server)).isZero();
    }
  }

  @Test
  void requestsThatRunTogetherComputeTheirSharedPrefixOnce() throws Exception {
    try (TestServer server = start(2_048, 8, "lru")) {
      int[] shared = TestServer.prompt(1, 20 * TestServer.BLOCK);
      int[][] prompts =
          IntStream.range(0, 8)
              .mapToObj(i -> TestServer.join(shared, TestServer.prompt(i + 2, 10)))
              .toArray(int[][]::new);
      runAll(server, prompts, 100, 8);
      assertThat(server.server.counters().promptTokens()).isEqualTo(shared.length + 8 * 10);
      assertThat(unaccounted(server)).isZero();
    }
  }

  @Test
  void cancelledClientsLeaveNoCells() throws Exception {
    try (TestServer server = start(1_024, 8, "lru")) {
      for (int i = 0; i < Histories.times(25); i++) {
        server.cancelled(i);
      }
      awaitIdle(server);
      assertThat(server.requests().ended("abort")).isPositive();
      assertThat(server.server.ebb().stats().openSequences()).isZero();
      assertThat(unaccounted(server)).isZero();
      int[] prompt = TestServer.prompt(3, 40);
      assertAlone(server.complete(prompt, ANSWER), prompt, ANSWER);
    }
  }

  private static void awaitIdle(TestServer server) {
    Awaiting.until(() ->
        server.server.ebb().stats().openSequences() == 0
            && server.requests().running() == 0
            && server.requests().waiting() == 0);
  }

  @Test
  void aWaitingClientThatDisconnectsIsCancelledWhileItWaits() throws Exception {
    try (TestServer server = start(4_096, 1, "lru");
        Closer before = new Closer()) {
      int others = 6;
      for (int i = 0; i < others; i++) {
        before.add(server.connect(TestServer.prompt(i, 40), 3_000));
      }
      Awaiting.until(() -> server.requests().waiting() == others - 1);
      try (Socket waiting = server.connect(TestServer.prompt(others, 40), 8)) {
        Awaiting.until(() -> server.requests().waiting() == others);
        assertThat(waiting.isConnected()).isTrue();
      }
      Awaiting.until(() -> server.requests().ended("abort") == 1);
      assertThat(server.requests().ended("length")).isLessThan(others);
    }
  }

  @Test
  void thePolicyNoneReleasesWhatIsCached() {
    try (TestServer server = start(512, 4, "lru")) {
      for (int i = 0; i < 12; i++) {
        server.complete(TestServer.prompt(i, 60), 8);
      }
      server.server.ebb().policies().use(PolicySpec.of("none"));
      int[] prompt = TestServer.prompt(20, 400);
      assertAlone(server.complete(prompt, ANSWER), prompt, ANSWER);
      assertThat(TestServer.cached(server.complete(prompt, ANSWER))).isZero();
      awaitIdle(server);
      assertThat(server.memory().context().cells().used()).isZero();
      assertThat(server.memory().cells().branches()).isZero();
      server.server.ebb().policies().use(PolicySpec.of("lru"));
      assertAlone(server.complete(prompt, ANSWER), prompt, ANSWER);
      assertThat(TestServer.cached(server.complete(prompt, ANSWER))).isPositive();
    }
  }

  @Test
  void theUseOfCellsStaysFlat() throws Exception {
    try (TestServer server = start(512, 4, "lru")) {
      int[][] prompts =
          IntStream.range(0, REQUESTS)
              .mapToObj(i -> TestServer.prompt(i % 40, 10 + i % 30))
              .toArray(int[][]::new);
      try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
        for (int[] prompt : prompts) {
          threads.execute(() -> server.complete(prompt, 8));
        }
      }
      awaitIdle(server);
      assertThat(server.requests().ended("length")).isEqualTo(REQUESTS);
      assertThat(server.memory().context().cells().used()).isLessThanOrEqualTo(512);
      assertThat(server.memory().cells().branches()).isZero();
      assertThat(unaccounted(server)).isZero();
    }
  }

  @Test
  void reuseSavesPromptTokens() {
    long computed = 0;
    long sent = 0;
    try (TestServer server = start(1_024, 4, "lru")) {
      int[][] conversations = new int[6][];
      for (int user = 0; user < conversations.length; user++) {
        conversations[user] = TestServer.prompt(user, 40);
      }
      for (int turn = 0; turn < 4; turn++) {
        for (int user = 0; user < conversations.length; user++) {
          server.complete(conversations[user], 8);
          sent += conversations[user].length;
          conversations[user] =
              TestServer.join(conversations[user], TestServer.prompt(100L * turn + user, 12));
        }
      }
      computed = server.server.counters().promptTokens();
    }
    assertThat(computed).isLessThan(sent / 2);
  }

  @Test
  void thePolicyIsSwitchedWhileRequestsRun() throws Exception {
    try (TestServer server = start(512, 4, "lru")) {
      int[][] prompts =
          IntStream.range(0, 24).mapToObj(i -> TestServer.prompt(i % 10, 60)).toArray(int[][]::new);
      try (ExecutorService threads = Executors.newFixedThreadPool(1)) {
        Future<?> switches =
            threads.submit(() -> {
              for (int i = 0; i < 6; i++) {
                server.server.ebb().policies().use(PolicySpec.of(i % 2 == 0 ? "fifo" : "lru"));
              }
            });
        runAll(server, prompts, ANSWER, 4);
        switches.get();
      }
      server.server.ebb().policies().use(PolicySpec.of("fifo"));
      assertThat(server.server.ebb().policies().policy()).isEqualTo("fifo");
      assertThat(unaccounted(server)).isZero();
    }
  }

  @Test
  void compactionOfThePoolChangesNoAnswer() throws Exception {
    try (TestServer server = start(512, 4, "lru")) {
      int[][] prompts =
          IntStream.range(0, 24).mapToObj(i -> TestServer.prompt(i % 10, 60)).toArray(int[][]::new);
      try (ExecutorService threads = Executors.newFixedThreadPool(1)) {
        Future<?> compactions =
            threads.submit(() -> {
              for (int i = 0; i < 100; i++) {
                server.server.ebb().pool().defrag(Long.MAX_VALUE);
                Awaiting.pause();
              }
            });
        runAll(server, prompts, ANSWER, 4);
        compactions.get();
      }
      assertThat(unaccounted(server)).isZero();
    }
  }
}
