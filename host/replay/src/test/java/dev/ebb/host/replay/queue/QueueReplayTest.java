package dev.ebb.host.replay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.RunningSequence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueReplayTest {

  @TempDir private Path folder;

  private DecodedTrace trace(String lines) throws IOException {
    Path file = Files.writeString(folder.resolve("trace.jsonl"), lines);
    try (TraceReader reader = TraceReader.open(file.toString(), OnError.STOP)) {
      return DecodedTrace.decode("trace", reader);
    }
  }

  private static String line(long millis, int prompt, int output, int priority) {
    return "{\"timestamp\":%d,\"input_length\":%d,\"output_length\":%d,\"hash_ids\":[%d],\"priority\":%d}\n"
        .formatted(millis, prompt, output, millis, priority);
  }

  private static QueueOptions options(long memoryTokens) {
    return new QueueOptions(memoryTokens, 1_000, Duration.ofMillis(10), Duration.ofSeconds(1));
  }

  /** By hand: 32 tokens of prompt take 10 + 32 ms, and each of 3 further tokens 10 + 1 ms. */
  @Test
  void aRequestAloneTakesTheTimeOfItsSteps() throws IOException {
    QueueResult result =
        QueueReplay.run(
            "lowest-priority",
            trace(line(0, 32, 4, 1)),
            options(1_000),
            clock -> PreemptionRules.LOWEST_PRIORITY);

    assertThat(result.answered()).isEqualTo(1);
    assertThat(result.latencies()).containsExactly(75_000_000L);
    assertThat(result.waits()).containsExactly(0L);
    assertThat(result.computedTokens()).isEqualTo(35);
    assertThat(result.preemptions()).isZero();
    assertThat(result.missedDeadlines()).isZero();
  }

  /**
   * Room for 4 blocks; two prompts of 31 tokens fill it, and grow at the same step. The one that
   * came second loses its 33 tokens, and computes them again when the other has ended.
   */
  @Test
  void aPreemptedRequestComputesItsTokensAgain() throws IOException {
    QueueResult result =
        QueueReplay.run(
            "lowest-priority",
            trace(line(0, 31, 10, 1) + line(0, 31, 10, 1)),
            options(64),
            clock -> PreemptionRules.LOWEST_PRIORITY);

    assertThat(result.answered()).isEqualTo(2);
    assertThat(result.preemptions()).isEqualTo(1);
    assertThat(result.recomputedTokens()).isEqualTo(32);
    assertThat(result.computedTokens()).isEqualTo(2 * 40 + 32);
    assertThat(result.waits().getFirst()).isZero();
    assertThat(result.waits().getLast()).isPositive();
  }

  @Test
  void aRequestThatNeverFitsIsCounted() throws IOException {
    QueueResult result =
        QueueReplay.run(
            "lowest-priority",
            trace(line(0, 500, 10, 1) + line(5, 10, 10, 1)),
            options(64),
            clock -> PreemptionRules.LOWEST_PRIORITY);

    assertThat(result.tooLong()).isEqualTo(1);
    assertThat(result.answered()).isEqualTo(1);
  }

  /** Every request is answered, no token is lost or counted twice, and runs repeat exactly. */
  @Test
  void anyPolicyAnswersAllAndRunsRepeat() throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    StringBuilder lines = new StringBuilder();
    long needed = 0;
    long time = 0;
    for (int i = 0; i < 300; i++) {
      int prompt = 1 + random.nextInt(400);
      int output = 1 + random.nextInt(200);
      needed += prompt + output - 1;
      time += random.nextInt(200);
      lines.append(line(time, prompt, output, random.nextInt(3)));
    }
    DecodedTrace trace = trace(lines.toString());
    for (PreemptionRules rule : PreemptionRules.values()) {
      QueueResult first = QueueReplay.run(rule.id(), trace, options(2_000), clock -> rule);
      QueueResult second = QueueReplay.run(rule.id(), trace, options(2_000), clock -> rule);
      assertThat(first.answered()).isEqualTo(300);
      assertThat(first.preemptions()).isPositive();
      assertThat(first.computedTokens()).isEqualTo(needed + first.recomputedTokens());
      assertThat(first.latencies()).isEqualTo(second.latencies());
      assertThat(first.waits()).isEqualTo(second.waits());
    }
  }

  @Test
  void aPolicySeesWhatItNeeds() throws IOException {
    List<String> seen = new ArrayList<>();
    PreemptionPolicy policy =
        new PreemptionPolicy() {
          @Override
          public int compare(RunningSequence first, RunningSequence second) {
            return 0;
          }

          @Override
          public int select(List<? extends RunningSequence> candidates, long neededTokens) {
            RunningSequence last = candidates.getLast();
            seen.add(
                "%d of %d, %d held, %d left, due %d"
                    .formatted(
                        neededTokens,
                        candidates.size(),
                        last.freedTokens(),
                        last.remainingTokens(),
                        last.deadlineNanos() / 1_000_000));
            return candidates.size() - 1;
          }
        };
    QueueReplay.run(
        "own", trace(line(0, 31, 10, 1) + line(0, 31, 10, 1)), options(64), clock -> policy);

    assertThat(seen).containsExactly("1 of 2, 32 held, 8 left, due 1000");
  }

  @Test
  void aFailingPolicyIsNamed() throws IOException {
    QueueResult result =
        QueueReplay.run(
            "broken",
            trace(line(0, 31, 10, 1) + line(0, 31, 10, 1)),
            options(64),
            clock ->
                (first, second) -> {
                  throw new IllegalStateException("planned");
                });

    assertThat(result.fault()).contains("planned");
    assertThat(result.answered()).isEqualTo(2);
  }

  @Test
  void refusesAMemoryWithoutABlock() {
    assertThatThrownBy(() -> options(15)).hasMessageContaining("'15'").hasMessageContaining("16");
  }
}
