package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.engine.stats.TrafficCounters;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.server.demo.RandomModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Greedy answers with prefixes from a disk, while llama.cpp's cells are evicted, and restarted. */
class DiskReuseTest {

  private static final int ANSWER = 10;

  @TempDir private Path folder;
  private Path config;

  @BeforeEach
  void configure() throws IOException {
    config = TestServer.configure(folder);
    Files.writeString(
        config,
        """
        ebb.tiers.disk { path = "%s", size = 33 MiB, region-size = 1 MiB }
        """
            .formatted(folder.resolve("prefixes")),
        StandardOpenOption.APPEND);
  }

  private Path model(String name, RandomModel.Kind kind, int layers) throws IOException {
    Path file = folder.resolve(name + ".gguf");
    new RandomModel("tiny", new RandomModel.Shape(layers, 4, 2, 16, 128, 4_096), kind)
        .writingLetters()
        .write(file, (tensor, weights) -> {});
    return file;
  }

  private TestServer start(Path model, boolean flashAttention) {
    SchedulerOptions scheduler =
        new SchedulerOptions(
            3, 64, 256, Duration.ofMinutes(2), false, Duration.ofSeconds(10), 1_024);
    return TestServer.start(model, config, 500, scheduler, "lru", flashAttention);
  }

  /** Prompts of which the cells hold a few; each begins like one before it. */
  private static List<int[]> prompts() {
    Random random = new Random(3);
    List<int[]> prompts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      int[] fresh = TestServer.prompt(100 + i, 30 + random.nextInt(80));
      prompts.add(i < 10 ? fresh : TestServer.join(prompts.get(random.nextInt(10)), fresh));
    }
    return prompts;
  }

  private static TrafficCounters traffic(TestServer server) {
    return server.server.ebb().stats().devices().getFirst().traffic();
  }

  @ParameterizedTest
  @CsvSource({"FULL, false", "FULL, true", "WINDOW, false"})
  void answersAreThoseWithoutADisk(RandomModel.Kind kind, boolean flashAttention) throws Exception {
    Path file = model("tiny", kind, 4);
    List<int[]> prompts = prompts();
    List<int[]> answers = new ArrayList<>();
    try (LlamaModel model = LlamaModel.openAny(file)) {
      prompts.forEach(prompt -> answers.add(TestServer.alone(model, prompt, ANSWER)));
    }
    for (int run = 0; run < 2; run++) {
      int computed = 0;
      try (TestServer server = start(file, flashAttention)) {
        for (int i = 0; i < prompts.size(); i++) {
          JsonNode answer = server.complete(prompts.get(i), ANSWER);
          if (!flashAttention) {
            assertThat(TestServer.tokens(answer)).as("answer '%d'", i).isEqualTo(answers.get(i));
          }
          computed += prompts.get(i).length - TestServer.cached(answer);
        }
        long tokens = traffic(server).diskTokens();
        assertThat(tokens).isPositive();
        assertThat(server.get("/metrics").body())
            .contains("ebb_disk_in_use 1.0", "ebb_disk_hits_total " + tokens / 8 + ".0");
        assertThat(server.memory().cells().branches()).isZero();
      }
      int all = prompts.stream().mapToInt(prompt -> prompt.length).sum();
      // After the restart, what does not fill a block, and the few that were not written.
      assertThat(computed).isLessThan(run == 0 ? all : all / 3);
    }
  }

  @Test
  void anotherModelOfTheSameNameAndFormComputesItsOwn() throws Exception {
    Path file = model("one", RandomModel.Kind.FULL, 4);
    int[] prompt = TestServer.prompt(5, 200);
    try (TestServer server = start(file, false)) {
      server.complete(prompt, ANSWER);
    }
    byte[] other = Files.readAllBytes(file);
    // A bit of a weight at the end of the file.
    other[other.length - 9] ^= 2;
    Files.write(file, other);
    try (TestServer server = start(file, false)) {
      assertThat(TestServer.cached(server.complete(prompt, ANSWER))).isZero();
    }
  }

  @Test
  void aRecurrentModelIsRefused() throws Exception {
    Path file = model("recurrent", RandomModel.Kind.RECURRENT, 4);
    assertThatThrownBy(() -> TestServer.start(file, config, 1_024, 2, "lru").close())
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.tiers.disk.path", "recurrent states", "leave it out");
  }
}
