package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Histories;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.server.demo.RandomModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Answers of recurrent and sliding-window models with reused prefixes, and under eviction. */
class ReuseTest {

  private static final int ANSWER = 12;

  /** Prompts in a run of the test; more by hand. */
  private static final int PROMPTS = Integer.getInteger("ebb.reuse.prompts", Histories.times(30));

  @TempDir private Path folder;
  private Path config;

  @BeforeEach
  void configure() throws IOException {
    config = TestServer.configure(folder);
  }

  private Path model(RandomModel.Kind kind) throws IOException {
    Path file = folder.resolve(kind + ".gguf");
    new RandomModel("tiny", new RandomModel.Shape(4, 4, 2, 16, 128, 4_096), kind)
        .writingLetters()
        .write(file, (name, weights) -> {});
    return file;
  }

  /**
   * Prompts that continue others with their answers, branch off from them at any token, or repeat
   * them.
   */
  private List<int[]> prompts(LlamaModel model) {
    Random random = new Random(9);
    List<int[]> prompts = new ArrayList<>();
    for (int i = 0; i < PROMPTS; i++) {
      int[] fresh = TestServer.prompt(1_000 + i, 8 + random.nextInt(150));
      int[] prompt = fresh;
      if (i > 3 && random.nextInt(8) > 0) {
        int[] other = prompts.get(Math.max(0, i - 1 - random.nextInt(12)));
        prompt =
            switch (random.nextInt(4)) {
              case 0 -> other;
              case 1 -> TestServer.join(other, TestServer.alone(model, other, ANSWER));
              case 2 -> TestServer.join(other, fresh);
              default ->
                  TestServer.join(Arrays.copyOf(other, 1 + random.nextInt(other.length)), fresh);
            };
      }
      prompts.add(Arrays.copyOf(prompt, Math.min(prompt.length, 900)));
    }
    return prompts;
  }

  @ParameterizedTest
  @ValueSource(strings = {"RECURRENT", "WINDOW"})
  void answersDoNotDependOnReuse(String kind) throws Exception {
    Path file = model(RandomModel.Kind.valueOf(kind));
    // For the recurrent model, 12 states and some blocks; for the other, 2,000 cells.
    boolean recurrent = kind.equals("RECURRENT");
    try (LlamaModel model = LlamaModel.openAny(file);
        TestServer server =
            recurrent
                ? TestServer.start(file, config, 14L * stateBytes(), 4, "lru")
                : TestServer.start(file, config, 2_000, 4, "lru");
        ExecutorService clients = Executors.newFixedThreadPool(4)) {
      List<int[]> prompts = prompts(model);
      List<Future<JsonNode>> answers =
          prompts.stream()
              .map(prompt -> clients.submit(() -> server.complete(prompt, ANSWER)))
              .toList();
      int cached = 0;
      for (int i = 0; i < prompts.size(); i++) {
        JsonNode answer = answers.get(i).get();
        assertThat(TestServer.tokens(answer))
            .as("answer '%d'", i)
            .isEqualTo(TestServer.alone(model, prompts.get(i), ANSWER));
        cached += TestServer.cached(answer);
      }
      int all = prompts.stream().mapToInt(prompt -> prompt.length).sum();
      assertThat(cached).isGreaterThan(all / 5);
      assertThat(server.server.ebb().stats().devices().getFirst().evictedEntries()).isPositive();
      assertThat(server.memory().cells().branches()).isZero();
    }
  }

  /** The state of the tiny model: 4 layers, 128 inner elements, with 3 and 16 values each. */
  private static long stateBytes() {
    return 4L * 128 * (3 + 16) * Float.BYTES + 1_024;
  }

  @Test
  void goesOnAtTheEndsOfPromptsAndWhereOthersBranchOff() throws Exception {
    Path file = model(RandomModel.Kind.RECURRENT);
    try (TestServer server = TestServer.start(file, config, 1_024, 2, "lru")) {
      int[] system = TestServer.prompt(1, 300);
      int[] first = TestServer.join(system, TestServer.prompt(2, 40));
      JsonNode answer = server.complete(first, 20);
      assertThat(TestServer.cached(answer)).isZero();
      // The same prompt: up to the last block before its last token.
      assertThat(TestServer.cached(server.complete(first, 20))).isEqualTo(336);
      // The next turn: also the answer's full blocks.
      int[] next =
          TestServer.join(TestServer.join(first, TestServer.tokens(answer)), 100, 101, 102);
      assertThat(TestServer.cached(server.complete(next, 4))).isEqualTo(352);
      // Another prompt with the same beginning finds no state at its end, and leaves one.
      server.complete(TestServer.join(system, TestServer.prompt(3, 40)), 4);
      assertThat(TestServer.cached(server.complete(TestServer.join(system, 90, 91), 4)))
          .isEqualTo(296);
    }
  }

  @Test
  void keepsNoStatesWithoutAPolicy() throws Exception {
    Path file = model(RandomModel.Kind.RECURRENT);
    int[] prompt = TestServer.prompt(5, 200);
    try (LlamaModel model = LlamaModel.openAny(file);
        TestServer server = TestServer.start(file, config, 1_024, 2, "none")) {
      for (int i = 0; i < 2; i++) {
        JsonNode answer = server.complete(prompt, ANSWER);
        assertThat(TestServer.cached(answer)).isZero();
        assertThat(TestServer.tokens(answer)).isEqualTo(TestServer.alone(model, prompt, ANSWER));
      }
    }
  }

  @Test
  void refusesAPoolWithoutRoomForStates() throws Exception {
    Path file = model(RandomModel.Kind.RECURRENT);
    assertThatThrownBy(() -> TestServer.start(file, config, stateBytes(), 2, "lru").close())
        .isInstanceOf(UserError.class)
        .hasMessageContaining("--kv-pool-size")
        .hasMessageContaining("2 states");
  }
}
