package dev.ebb.llama.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tokens.pruning.TokenPolicyException;
import dev.ebb.llama.binding.ContextOptions;
import dev.ebb.llama.binding.KvCells;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.Sampler;
import dev.ebb.llama.generate.GenerationReport.Ending;
import dev.ebb.llama.signals.CellSignals;
import dev.ebb.llama.testing.TestPolicy;
import dev.ebb.llama.testing.TinyModelTest;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GeneratorTest extends TinyModelTest {

  private static final int BATCH = 32;
  private static final long PLENTY = 1L << 40;

  /** What llama.cpp alone computes, without anything of Ebb's between. */
  private static final class Alone {
    final List<Integer> tokens = new ArrayList<>();
    float[] logits = new float[0];
  }

  private Alone alone(int[] prompt, int most) {
    try (LlamaContext context =
            new LlamaContext(model, new ContextOptions(512, BATCH, 1, 1, null));
        Sampler greedy = Sampler.greedy()) {
      for (int at = 0; at < prompt.length; at += BATCH) {
        context.decode(0, Arrays.copyOfRange(prompt, at, Math.min(prompt.length, at + BATCH)), at);
      }
      Alone alone = new Alone();
      while (true) {
        alone.tokens.add(greedy.next(context));
        int count = alone.tokens.size();
        if (count == most) {
          alone.logits = context.logits();
          return alone;
        }
        context.decode(0, new int[] {alone.tokens.getLast()}, prompt.length + count - 1);
      }
    }
  }

  @Test
  void changesNothingWithoutAPolicy() {
    int[] prompt = prompt(70);
    Alone alone = alone(prompt, 60);
    try (Run run = new Run(null, 512, "")) {
      GenerationReport report = run.answer(prompt, 60);
      assertThat(run.tokens).isEqualTo(alone.tokens);
      assertThat(run.context.logits()).containsExactly(alone.logits);
      assertThat(report.cells().evicted()).isZero();
      assertThat(report.cells().used()).isEqualTo(70 + 60 - 1);
      assertThat(report.ending()).isEqualTo(Ending.LENGTH);
    }
  }

  @ParameterizedTest
  @EnumSource
  void changesNothingWithAPolicyThatNeverRuns(TestPolicy policy) {
    int[] prompt = prompt(70);
    Alone alone = alone(prompt, 30);
    try (Run run = new Run(policy, 512, "trigger = pressure, window = 500")) {
      GenerationReport report = run.answer(prompt, 30);
      assertThat(run.tokens).isEqualTo(alone.tokens);
      assertThat(run.context.logits()).containsExactly(alone.logits);
      assertThat(report.cells().evictions()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void generatesTenTimesItsWindowInAsManyCells(TestPolicy policy) {
    boolean whole = policy.trigger() == TokenPolicy.Trigger.AFTER_PREFILL;
    try (Run run = new Run(policy, 128, "window = 32")) {
      GenerationReport report = run.answer(prompt(100), 320);
      assertThat(report.generatedTokens()).isEqualTo(320);
      assertThat(report.cells().used()).isEqualTo(32);
      assertThat(report.cells().peak()).isLessThanOrEqualTo(whole ? 100 : 32 + BATCH);
      assertThat(report.cells().evicted()).isEqualTo(100 + 319 - 32);
      assertThat(run.positions()).hasSize(32).endsWith(100 + 319 - 1);
    }
  }

  @Test
  void keepsTheNewestOfASlidingWindow() {
    try (Run run = new Run(TestPolicy.NEWEST, 128, "window = 20")) {
      run.answer(prompt(90), 50);
      assertThat(run.positions()).containsExactly(IntStream.range(119, 139).toArray());
    }
  }

  @Test
  void prunesOnceAfterThePromptAndThenGrowsIfNoWindowIsGiven() {
    try (Run run = new Run(TestPolicy.WATCHED, 256, "keep-ratio = 0.25")) {
      GenerationReport report = run.answer(prompt(120), 50);
      assertThat(report.cells().evictions()).isEqualTo(1);
      assertThat(report.cells().evicted()).isEqualTo(90);
      assertThat(report.cells().used()).isEqualTo(30 + 49);
    }
  }

  @Test
  void holdsTheSizeAfterThePromptWithAPolicyOfEveryStep() {
    try (Run run = new Run(TestPolicy.HEAVY, 256, "")) {
      GenerationReport report = run.answer(prompt(120), 50);
      assertThat(report.cells().used()).isEqualTo(90);
      assertThat(report.cells().evictions()).isEqualTo(50);
    }
  }

  @ParameterizedTest
  @EnumSource
  void prunesToThreeQuartersByDefaultWhenTheCellsAreFull(TestPolicy policy) {
    try (Run run = new Run(policy, 64, "trigger = pressure")) {
      GenerationReport report = run.answer(prompt(50), 100);
      assertThat(report.generatedTokens()).isEqualTo(100);
      assertThat(report.cells().evictions()).isBetween(3L, 10L);
      assertThat(report.cells().peak()).isEqualTo(report.cells().cells());
    }
  }

  @Test
  void makesRoomThoughItsWindowIsLargerThanTheContext() {
    try (Run run = new Run(TestPolicy.NEWEST, 64, "window = 1000")) {
      GenerationReport report = run.answer(prompt(200), 100);
      assertThat(report.generatedTokens()).isEqualTo(100);
      assertThat(run.positions()).endsWith(200 + 99 - 1);
    }
  }

  @Test
  void endsWhereTheCellsEndWithoutAPolicy() {
    try (Run run = new Run(null, 64, "")) {
      GenerationReport report = run.answer(prompt(50), 1000);
      assertThat(report.ending()).isEqualTo(Ending.CONTEXT);
      assertThat(report.cells().used()).isEqualTo(report.cells().cells());
    }
  }

  @Test
  void refusesAPromptThatDoesNotFit() {
    for (TestPolicy policy : new TestPolicy[] {null, TestPolicy.WATCHED}) {
      try (Run run = new Run(policy, 64, "window = 32")) {
        assertThatThrownBy(() -> run.answer(prompt(200), 10))
            .isInstanceOf(UserError.class)
            .hasMessageContaining("200 tokens");
      }
    }
  }

  @Test
  void prunesWhileMemoryIsShort() {
    AtomicLong available = new AtomicLong(PLENTY);
    try (Run run = new Run(TestPolicy.NEWEST, 512, "memory-threshold = 1 MiB", available)) {
      available.set(1 << 10);
      GenerationReport report = run.answer(prompt(100), 60);
      // To three quarters after the prompt, and again when it is as long as it was.
      assertThat(report.cells().evictions()).isEqualTo(3);
      assertThat(report.cells().used()).isEqualTo(59 - 25 - 25 + 75);
    }
  }

  @Test
  void saysWhichPolicyFailedAndDropsNothing() {
    TokenPolicy broken = new Broken();
    try (Run run = new Run(broken, 128, "window = 32")) {
      assertThatThrownBy(() -> run.answer(prompt(100), 10))
          .isInstanceOf(TokenPolicyException.class)
          .hasMessageContaining("token policy 'test' failed")
          .hasMessageContaining("not a number");
      assertThat(run.positions()).hasSizeGreaterThan(32);
    }
  }

  /** No number is a score. */
  private static final class Broken implements TokenPolicy {
    @Override
    public Set<Signal> signals() {
      return Set.of();
    }

    @Override
    public Granularity granularity() {
      return Granularity.SEQUENCE;
    }

    @Override
    public Trigger trigger() {
      return Trigger.UNDER_PRESSURE;
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      out[view.length() - 1] = Float.NaN;
    }
  }

  @Test
  void endsInTheMiddleWhenItIsStopped() {
    try (Run run = new Run(null, 512, "")) {
      run.sinkAt(7, run.context::stop);
      GenerationReport report = run.answer(prompt(70), 300);
      assertThat(report.ending()).isEqualTo(Ending.STOPPED);
      assertThat(report.generatedTokens()).isEqualTo(7);
      assertThat(report.promptTokens()).isEqualTo(70);
    }
    try (Run run = new Run(null, 512, "")) {
      run.context.stop();
      GenerationReport report = run.answer(prompt(70), 300);
      assertThat(report.ending()).isEqualTo(Ending.STOPPED);
      assertThat(report.promptTokens()).isZero();
    }
  }

  @Test
  void holdsItsMemoryFlat() throws IOException {
    try (Run run = new Run(TestPolicy.NEWEST, 128, "window = 64")) {
      long[] resident = new long[2];
      run.sinkAt(500, () -> resident[0] = residentBytes());
      run.sinkAt(2500, () -> resident[1] = residentBytes());
      GenerationReport report = run.answer(prompt(100), 2501);
      assertThat(report.cells().peak()).isLessThanOrEqualTo(64 + BATCH);
      Assumptions.assumeTrue(resident[0] > 0, "the system does not report the process's memory");
      // The Java heap may grow too; 2,000 tokens of cells would not fit in the context at all.
      assertThat(resident[1] - resident[0]).isLessThan(256L << 20);
    }
  }

  private static long residentBytes() {
    Path status = Path.of("/proc/self/status");
    if (!Files.isReadable(status)) {
      return 0;
    }
    try {
      return Files.readAllLines(status).stream()
              .filter(line -> line.startsWith("VmRSS:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum()
          << 10;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static int[] prompt(int count) {
    return new Random(count).ints(count, 3, 270).toArray();
  }

  /** One generation, put together as the command does it. */
  private final class Run implements AutoCloseable {

    final List<Integer> tokens = new ArrayList<>();
    final LlamaContext context;
    private final Sampler sampler = Sampler.greedy();
    private final Generator generator;
    private final List<Integer> moments = new ArrayList<>();
    private final List<Runnable> actions = new ArrayList<>();

    Run(@Nullable TokenPolicy policy, int cells, String settings) {
      this(policy, cells, settings, new AtomicLong(PLENTY));
    }

    Run(@Nullable TokenPolicy policy, int cells, String settings, AtomicLong available) {
      CellSignals signals = policy == null ? null : CellSignals.of(model.shape(), cells, policy);
      context = new LlamaContext(model, new ContextOptions(cells, BATCH, 1, 1, signals));
      Pruner pruner =
          policy == null
              ? Pruner.NONE
              : new CellPruner(
                  context,
                  model.shape(),
                  tokens(settings),
                  "test",
                  policy,
                  signals,
                  new Available(available));
      generator = new Generator(model, context, sampler, pruner, BATCH);
    }

    private static TokensConfig tokens(String settings) {
      Path nowhere = Path.of("");
      return new ConfigLoader(nowhere, nowhere)
          .load(null, "ebb.tokens { %s }".formatted(settings))
          .orThrow()
          .tokens();
    }

    void sinkAt(int token, Runnable action) {
      moments.add(token);
      actions.add(action);
    }

    GenerationReport answer(int[] prompt, int most) {
      return generator.run(
          prompt,
          most,
          token -> {
            tokens.add(token);
            int moment = moments.indexOf(tokens.size());
            if (moment >= 0) {
              actions.get(moment).run();
            }
            return true;
          });
    }

    int[] positions() {
      KvCells cells = context.cells();
      return IntStream.of(cells.inOrder()).map(cells::position).toArray();
    }

    @Override
    public void close() {
      sampler.close();
      context.close();
    }
  }

  private record Available(AtomicLong bytes) implements MemoryMonitor {
    @Override
    public long totalBytes() {
      return Long.MAX_VALUE;
    }

    @Override
    public long availableBytes() {
      return bytes.get();
    }

    @Override
    public String describe() {
      return bytes + " available";
    }
  }
}
