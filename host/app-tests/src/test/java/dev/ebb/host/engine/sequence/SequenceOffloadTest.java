package dev.ebb.host.engine.sequence;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.config.Configs;
import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.request.SequenceStateException;
import dev.ebb.host.engine.stats.OffloadStats;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.resp.RunningServer;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.Scheduler;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.scheduler.SchedulingState;
import dev.ebb.host.scheduler.Submission;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Preempted sequences that a server keeps, and that continue with their K and V. */
class SequenceOffloadTest {

  private static final String SALT = "s";
  private static final String PASSWORD = "p";
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(50);

  private static List<Integer> tokens(int first, int count) {
    return IntStream.range(first, first + count).boxed().toList();
  }

  private static int[] ints(List<Integer> tokens) {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }

  private static SequenceRequest request(List<Integer> tokens) {
    return SequenceRequest.of(TestEngine.MODEL, ints(tokens)).withPriority(0);
  }

  private static void use(Engine engine, int port, int minTokens, Duration timeout) {
    engine.offload =
        new SequenceOffload(
            engine,
            new OffloadConfig(null, PASSWORD, minTokens, timeout),
            new HostPort("127.0.0.1", port));
  }

  private static OffloadStats stats(TestEngine test) {
    return Inspection.stats(test.engine).offload();
  }

  /** Opens a sequence whose first tokens are written. */
  private static Sequence written(TestEngine test, List<Integer> tokens, int written) {
    Sequence sequence = test.engine.open(request(tokens));
    KvBytes.write(test.pool.layout(), sequence, SALT, tokens.subList(0, written), 0);
    sequence.written(written);
    return sequence;
  }

  /** Takes the whole pool for a moment, so that all other sequences are preempted. */
  private static void takeAll(TestEngine test) {
    test.openWith(2, ints(tokens(1_000, test.pool.blocks() * TestEngine.BLOCK_TOKENS))).abort();
  }

  @Test
  void aPreemptedSequenceContinuesWithItsBytes() {
    try (RunningServer server = RunningServer.of(4 << 20, PASSWORD, false);
        TestEngine test = new TestEngine(8)) {
      use(test.engine, server.port(), 4, LONG);
      Sequence low = written(test, tokens(0, 18), 18);
      takeAll(test);
      assertThat(low.state()).isEqualTo(SequenceState.PREEMPTED);
      assertThat(stats(test)).isEqualTo(new OffloadStats(1, 16 * tokenBytes(test), 0, 0, 0));

      List<Integer> more = tokens(0, 21);
      Sequence resumed = test.engine.resume(low, request(more));
      assertThat(resumed.matchedTokens()).isEqualTo(16);
      KvBytes.check(test.pool.layout(), resumed, SALT, more.subList(0, 16));
      assertThat(stats(test).loaded()).isOne();
      assertThat(stats(test).loadedBytes()).isEqualTo(stats(test).storedBytes());
      Awaiting.until(() -> server.store().stats().keys() == 0);

      // What was read back counts as written, and is offloaded again.
      takeAll(test);
      resumed = test.engine.resume(resumed, request(more));
      assertThat(resumed.matchedTokens()).isEqualTo(16);
      KvBytes.check(test.pool.layout(), resumed, SALT, more.subList(0, 16));
      resumed.finish(16);
      assertThat(test.engine.open(request(more)).matchedTokens()).isEqualTo(16);
    }
  }

  @Test
  void theConfigurationNamesTheServer(@TempDir Path home) {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(home), "acme.jar");
    KvLayout layout = new KvLayout(2, 2, 3, 4, DType.FP32);
    try (RunningServer server = RunningServer.of(4 << 20, PASSWORD, false);
        Ebb ebb =
            Ebb.start(
                EbbOptions.of(layout, home)
                    .withSettings(
                        """
                        ebb.pool {
                          device = host, size = 16 KiB
                          offload {
                            server = "127.0.0.1:%d", password = p, min-tokens = 8, timeout = 60 s
                          }
                        }
                        """
                            .formatted(server.port())))) {
      Sequence low = ebb.open(request(tokens(0, 18)));
      KvBytes.write(layout, low, SALT, tokens(0, 18), 0);
      low.written(18);
      int room = ebb.pool().report().pool().blocks() * layout.blockTokens();
      ebb.open(request(tokens(1_000, room)).withPriority(1)).abort();
      Sequence resumed = ebb.resume(low, request(tokens(0, 18)));
      assertThat(resumed.matchedTokens()).isEqualTo(16);
      KvBytes.check(layout, resumed, SALT, tokens(0, 16));
      assertThat(ebb.stats().offload().loaded()).isOne();
    }
  }

  private static long tokenBytes(TestEngine test) {
    return test.pool.layout().tokenBytes();
  }

  @Test
  void onlyReportedTokensOfLongSequencesAreStored() {
    try (RunningServer server = RunningServer.of(4 << 20, PASSWORD, false);
        TestEngine test = new TestEngine(8)) {
      use(test.engine, server.port(), 8, LONG);
      Sequence reported = written(test, tokens(0, 18), 11);
      takeAll(test);
      assertThat(test.engine.resume(reported, request(tokens(0, 18))).matchedTokens()).isEqualTo(8);
      takeAll(test);
      long stored = stats(test).stored();
      Sequence early = written(test, tokens(50, 18), 7);
      takeAll(test);
      Sequence pruned = written(test, tokens(90, 18), 18);
      pruned.prunePrefix(2);
      takeAll(test);
      assertThat(stats(test).stored()).isEqualTo(stored);
      assertThat(test.engine.resume(early, request(tokens(50, 18))).matchedTokens()).isZero();
      assertThat(test.engine.resume(pruned, request(tokens(50, 1))).matchedTokens()).isZero();
    }
  }

  @Test
  void onlyThePreemptedTokensAreResumed() {
    try (RunningServer server = RunningServer.of(4 << 20, PASSWORD, false);
        TestEngine test = new TestEngine(8)) {
      use(test.engine, server.port(), 4, LONG);
      Sequence low = written(test, tokens(0, 18), 18);
      assertThatIllegalStateException()
          .isThrownBy(() -> test.engine.resume(low, request(tokens(0, 18))))
          .withMessageContaining("'OPEN'");
      takeAll(test);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> test.engine.resume(low, request(tokens(1, 18))))
          .withMessageContaining("'16' tokens");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> test.engine.resume(low, request(tokens(0, 15))));
      assertThat(test.engine.resume(low, request(tokens(0, 16))).matchedTokens()).isEqualTo(16);
    }
  }

  @Test
  void aServerThatFailsCostsOneWaitAndNoSequence() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        TestEngine test = new TestEngine(8)) {
      use(test.engine, silent.getLocalPort(), 4, SHORT);
      Sequence low = written(test, tokens(0, 18), 18);
      takeAll(test);
      assertThat(stats(test).failed()).isOne();
      Sequence again = test.engine.resume(low, request(tokens(0, 18)));
      assertThat(again.matchedTokens()).isZero();
      again.written(18);
      takeAll(test);
      assertThat(again.state()).isEqualTo(SequenceState.PREEMPTED);
      assertThat(stats(test).failed()).isOne();
      assertThat(test.pool.freeBlocks()).isEqualTo(8);
    }
  }

  @Test
  void nothingIsReadBackOfWhatTheCacheHas() {
    try (RunningServer server = RunningServer.of(4 << 20, PASSWORD, false);
        TestEngine test = new TestEngine(8)) {
      use(test.engine, server.port(), 4, LONG);
      Sequence low = written(test, tokens(0, 18), 18);
      takeAll(test);
      written(test, tokens(0, 18), 18).finish(18);

      assertThat(test.engine.resume(low, request(tokens(0, 18))).matchedTokens()).isEqualTo(16);
      assertThat(stats(test).stored()).isOne();
      assertThat(stats(test).loaded()).isZero();
    }
  }

  @Test
  void aSequenceIsNotEndedWhileItIsStored() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        TestEngine test = new TestEngine(8);
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      use(test.engine, silent.getLocalPort(), 4, LONG);
      Sequence sequence = written(test, tokens(0, 18), 18);
      SequenceOffload offload = requireNonNull(test.engine.offload);
      Future<?> storing = thread.submit(() -> offload.store(sequence, 18));
      try (Socket connection = silent.accept()) {
        assertThatIllegalStateException()
            .isThrownBy(sequence::abort)
            .withMessageContaining("'1' accesses are open");
        assertThat(connection.isConnected()).isTrue();
      }
      assertThat(storing.get()).isNull();
      sequence.abort();
      assertThat(test.pool.freeBlocks()).isEqualTo(8);
    }
  }

  @Test
  void aServerThatHasNoRoomOrRefusesIsAFailure() {
    for (boolean failsWhenFull : new boolean[] {false, true}) {
      try (RunningServer server = RunningServer.of(1 << 20, PASSWORD, failsWhenFull);
          TestEngine test = new TestEngine(8_192)) {
        use(test.engine, server.port(), 4, LONG);
        Sequence low = test.engine.open(request(tokens(0, 32_000)));
        low.written(32_000);
        takeAll(test);
        assertThat(stats(test)).isEqualTo(new OffloadStats(0, 0, 0, 0, 1));
        assertThat(test.engine.resume(low, request(tokens(0, 10))).matchedTokens()).isZero();
      }
    }
    try (RunningServer server = RunningServer.of(4 << 20, "another", false);
        TestEngine test = new TestEngine(8)) {
      use(test.engine, server.port(), 4, LONG);
      Sequence low = written(test, tokens(0, 18), 18);
      takeAll(test);
      assertThat(low.state()).isEqualTo(SequenceState.PREEMPTED);
      assertThat(stats(test).failed()).isOne();
    }
  }

  @Test
  void aSequenceThatTheServerHasEvictedIsComputedAgain() {
    try (RunningServer server = RunningServer.of(4 << 20, PASSWORD, false);
        TestEngine test = new TestEngine(8)) {
      use(test.engine, server.port(), 4, LONG);
      Sequence low = written(test, tokens(0, 18), 18);
      takeAll(test);
      server.store().clear();
      Sequence resumed = test.engine.resume(low, request(tokens(0, 18)));
      assertThat(resumed.matchedTokens()).isZero();
      assertThat(resumed.state()).isEqualTo(SequenceState.OPEN);
      assertThat(stats(test).failed()).isOne();
    }
  }

  @Test
  void aLongSequenceIsStoredPageByPage() {
    KvLayout layout = new KvLayout(4, 4, 8, 2, DType.FP32, 2);
    List<Integer> tokens = tokens(0, 4_500);
    long bytes = layout.tokenBytes() * 4_500L;
    try (RunningServer server = RunningServer.of(160 << 20, PASSWORD, false);
        HostDevice device = new HostDevice();
        KvPool pool = KvPool.open(layout, device, bytes + (1 << 20))) {
      Engine engine = new Engine();
      int pages = pool.blocks() / layout.laneGroups();
      engine.add(
          pool,
          new InlineBlockCache(pages, System::nanoTime, new GhostWindow(16), OnFault.FALL_BACK),
          1,
          1);
      use(engine, server.port(), 4, LONG);
      Sequence low = engine.open(request(tokens));
      KvBytes.write(layout, low, SALT, tokens, 0);
      low.written(4_500);
      engine.open(request(tokens(9_000, 4_000)).withPriority(1)).abort();
      assertThat(server.store().stats().keys()).isEqualTo(2_250);
      Sequence resumed = engine.resume(low, request(tokens));
      assertThat(resumed.matchedTokens()).isEqualTo(4_500);
      KvBytes.check(layout, resumed, SALT, tokens);
      Awaiting.until(() -> server.store().stats().keys() == 0);
    }
  }

  @Test
  void sequencesOfManyThreadsKeepTheirBytes() throws Exception {
    try (RunningServer server = RunningServer.of(8 << 20, PASSWORD, false);
        TestEngine test = new TestEngine(24);
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      use(test.engine, server.port(), 4, LONG);
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int number = thread;
        running.add(threads.submit(() -> generate(test, number)));
      }
      for (Future<?> each : running) {
        each.get();
      }
      assertThat(stats(test).stored()).isPositive();
      assertThat(stats(test).loaded()).isPositive();
      assertThat(stats(test).failed()).isZero();
      assertThat(test.engine.sequences).isEmpty();
      assertThat(test.partition.obtainableBlocks()).isEqualTo(24);
    }
  }

  /** Generates answers to prompts of random priority, and resumes what is preempted. */
  private static void generate(TestEngine test, int thread) {
    Random random = new Random(thread);
    KvLayout layout = test.pool.layout();
    // At least one sequence is resumed from the server, however the threads take turns.
    for (int i = 0; i < 60 || stats(test).loaded() == 0; i++) {
      List<Integer> tokens = tokens((4 * i + thread) * 100, 20 + random.nextInt(20));
      int priority = random.nextInt(3);
      int done = 0;
      Sequence preempted = null;
      boolean complete = false;
      while (!complete) {
        try {
          int known = Math.max(1, done);
          SequenceRequest asked =
              request(tokens.subList(0, known)).withPriority(priority).withMaxWait(LONG);
          Sequence sequence =
              preempted == null ? test.engine.open(asked) : test.engine.resume(preempted, asked);
          preempted = sequence;
          int matched = Math.min(known, sequence.matchedTokens());
          KvBytes.check(layout, sequence, SALT, tokens.subList(0, matched));
          KvBytes.write(layout, sequence, SALT, tokens.subList(0, known), matched);
          sequence.written(known);
          done = known;
          while (done < tokens.size()) {
            sequence.append(tokens.get(done));
            KvBytes.write(layout, sequence, SALT, tokens.subList(0, done + 1), done);
            done++;
            sequence.written(done);
          }
          KvBytes.check(layout, sequence, SALT, tokens);
          sequence.abort();
          complete = true;
        } catch (SequenceStateException lost) {
          assertThat(lost.state()).isEqualTo(SequenceState.PREEMPTED);
        }
      }
    }
  }

  @Test
  void aRequestOfTheSchedulerContinuesWithItsBytes() {
    try (RunningServer server = RunningServer.of(4 << 20, PASSWORD, false);
        TestEngine test = new TestEngine(8)) {
      use(test.engine, server.port(), 4, LONG);
      List<ScheduledRequest<ScheduledSequence>> ended = new ArrayList<>();
      Scheduler<ScheduledSequence> scheduler =
          new Scheduler<>(
              new SchedulerOptions(4, 64, 9, LONG, false, LONG, 32),
              new SequenceMemory<>(test.engine),
              PreemptionRules.LOWEST_PRIORITY,
              ended::add);
      ScheduledRequest<ScheduledSequence> low = submit(scheduler, 0, 2, tokens(0, 20));
      step(test, scheduler, 1);
      // So long that all blocks of the other one are evicted.
      ScheduledRequest<ScheduledSequence> high = submit(scheduler, 1, 1, tokens(50, 31));
      step(test, scheduler, 2);
      assertThat(low.state()).isEqualTo(SchedulingState.PREEMPTED);
      assertThat(high.endReason()).isEqualTo(EndReason.FINISHED);
      assertThat(stats(test).stored()).isOne();
      step(test, scheduler, 3);
      assertThat(low.endReason()).isEqualTo(EndReason.FINISHED);
      assertThat(low.matchedTokens()).isEqualTo(20);
      assertThat(stats(test).loaded()).isOne();
      assertThat(ended).containsExactly(high, low);
    }
  }

  private static ScheduledRequest<ScheduledSequence> submit(
      Scheduler<ScheduledSequence> scheduler, int priority, int output, List<Integer> prompt) {
    return scheduler.submit(
        new Submission<>(
            new ScheduledSequence(request(prompt).withPriority(priority)),
            prompt.size(),
            output,
            priority,
            null),
        0);
  }

  private static void step(TestEngine test, Scheduler<ScheduledSequence> scheduler, long now) {
    Batch<ScheduledSequence> batch = scheduler.step(now);
    for (int i = 0; i < batch.size(); i++) {
      ScheduledRequest<ScheduledSequence> request = batch.request(i);
      ScheduledSequence payload = request.payload();
      List<Integer> tokens = IntStream.range(0, payload.length()).mapToObj(payload::token).toList();
      int matched = Math.min(request.matchedTokens(), tokens.size());
      KvBytes.check(test.pool.layout(), payload.sequence(), SALT, tokens.subList(0, matched));
      KvBytes.write(test.pool.layout(), payload.sequence(), SALT, tokens, matched);
      if (batch.samples(i)) {
        payload.generated(7);
      }
    }
    scheduler.completed(now);
  }

  @Test
  void theHostOfTheServerMustBeKnown() {
    try (TestEngine test = new TestEngine(8)) {
      assertThatExceptionOfType(UserError.class)
          .isThrownBy(() ->
              new SequenceOffload(
                  test.engine,
                  new OffloadConfig(null, null, 1, LONG),
                  new HostPort("no such host", 6380)))
          .withMessageContainingAll("ebb.pool.offload.server", "'no such host:6380'");
    }
  }
}
