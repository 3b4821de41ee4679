package dev.ebb.host.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.SharedFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class SchedulerLoopTest {

  private static final int BLOCK_TOKENS = 512;
  private static final Pattern COMMA = Pattern.compile(", ");
  private static final Pattern TRACE_LINE =
      Pattern.compile(
          "\\{\"timestamp\": (\\d+), \"input_length\": (\\d+), \"output_length\": (\\d+),"
              + " \"hash_ids\": \\[(.*)]}");

  private final List<ScheduledRequest<Prompt>> ended = new ArrayList<>();

  private SimulatedEngine run(int capacity, List<Submission<Prompt>> trace) {
    return run(capacity, trace, BatchSizeController.FIXED);
  }

  private SimulatedEngine run(
      int capacity, List<Submission<Prompt>> trace, BatchSizeController controller) {
    ended.clear();
    SimulatedEngine engine = new SimulatedEngine(BLOCK_TOKENS, capacity, trace);
    SchedulerOptions options =
        new SchedulerOptions(
            32, 8_192, 200, Duration.ofSeconds(600), false, Duration.ofSeconds(20), 4_096);
    Scheduler<Prompt> scheduler =
        new Scheduler<>(options, engine, PreemptionRules.LOWEST_PRIORITY, ended::add);
    scheduler.batchSize(controller);
    new SchedulerLoop<>(scheduler, engine).run();
    return engine;
  }

  @Test
  void conversationsEndOnceAndReuseTheirPrefixes() {
    List<Submission<Prompt>> trace = conversations(300);
    SimulatedEngine engine = run(400, trace);
    assertThat(ended).hasSameSizeAs(trace).doesNotHaveDuplicates();
    assertThat(engine.pinned()).isZero();
    assertThat(engine.matchedTokens).isPositive();
    assertThat(ended).anyMatch(request -> request.preemptions() > 0);
    for (ScheduledRequest<Prompt> request : ended) {
      if (request.endReason() == EndReason.FINISHED) {
        assertThat(request.outputTokens()).isEqualTo(request.submission().maxOutputTokens());
      } else {
        assertThat(request.endReason()).matches(EndReason::refused);
      }
    }
  }

  @Test
  void theSameTraceGivesTheSameSteps() {
    List<Submission<Prompt>> trace = conversations(100);
    List<String> first = run(200, trace).log;
    assertThat(run(200, trace).log).isEqualTo(first).hasSizeGreaterThan(1_000);
  }

  @Test
  void servesTheRecordedConversations() throws IOException {
    List<Submission<Prompt>> trace = recorded(1_000);
    SimulatedEngine engine = run(2_000, trace);
    assertThat(ended).hasSize(1_000).doesNotHaveDuplicates();
    assertThat(ended).anyMatch(request -> request.endReason() == EndReason.FINISHED);
    assertThat(engine.pinned()).isZero();
    assertThat(engine.matchedTokens).isPositive();
  }

  @Test
  void theDampedBatchSizeFinishesAsManyRequestsAsAFixedOne() {
    for (int capacity : new int[] {400, 1_000, 2_000}) {
      long fixed = finished(capacity, BatchSizeController.FIXED);
      assertThat(finished(capacity, new DampedBatchSize())).isGreaterThan(fixed * 95 / 100);
      // A smaller batch does not keep enough prefixes here to be worth it.
      assertThat(finished(capacity, ThresholdBatchSize.DEFAULT)).isLessThan(fixed * 85 / 100);
    }
  }

  private long finished(int capacity, BatchSizeController controller) {
    run(capacity, conversations(300), controller);
    return ended.stream().filter(request -> request.endReason() == EndReason.FINISHED).count();
  }

  /** Conversations of four turns, whose prompts continue each other, of 3 tenants. */
  private static List<Submission<Prompt>> conversations(int count) {
    Random random = new Random(7);
    List<Submission<Prompt>> trace = new ArrayList<>();
    for (int conversation = 0; conversation < count; conversation++) {
      long arrival = random.nextLong(60_000_000_000L);
      int tokens = 0;
      int priority = random.nextInt(3);
      for (int turn = 0; turn < 4; turn++) {
        tokens += 1 + random.nextInt(6_000);
        int output = 1 + random.nextInt(400);
        long first = conversation * 1_000L;
        long[] blocks = LongStream.range(first, first + tokens / BLOCK_TOKENS).toArray();
        trace.add(
            new Submission<>(
                new Prompt(arrival, blocks), tokens, output, priority, "t" + conversation % 3));
        tokens += output;
        arrival += 5_000_000_000L + random.nextLong(30_000_000_000L);
      }
    }
    trace.sort(Comparator.comparingLong(request -> request.payload().arrival));
    return trace;
  }

  private static List<Submission<Prompt>> recorded(int count) throws IOException {
    Path file = SharedFiles.file("traces", "conversation_trace.jsonl.gz");
    List<Submission<Prompt>> trace = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      for (int i = 0; i < count; i++) {
        Matcher line = TRACE_LINE.matcher(lines.readLine());
        assertThat(line.matches()).isTrue();
        int tokens = Integer.parseInt(line.group(2));
        long[] blocks =
            COMMA
                .splitAsStream(line.group(4))
                .mapToLong(Long::parseLong)
                .limit(tokens / BLOCK_TOKENS)
                .toArray();
        trace.add(
            new Submission<>(
                new Prompt(Long.parseLong(line.group(1)) * 1_000_000, blocks),
                tokens,
                Math.max(1, Integer.parseInt(line.group(3))),
                1,
                null));
      }
    }
    return trace;
  }
}
