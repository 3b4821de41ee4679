package dev.ebb.host.engine.sequence;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.engine.request.SequenceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Pages that are copied between engines. */
class PageExchangeTest {

  private static final String SALT = "";
  private static final int MOST_PAGES = 6;

  private static PageExchange exchange(TestEngine test) {
    return requireNonNull(PageExchange.of(test.engine, null));
  }

  /** Runs a prompt, and checks what matches; returns the matched tokens. */
  private static int run(TestEngine test, List<Integer> tokens) {
    try (Sequence sequence = test.open(tokens.stream().mapToInt(Integer::intValue).toArray())) {
      int matched = sequence.matchedTokens();
      KvBytes.check(test.pool.layout(), sequence, SALT, tokens.subList(0, matched));
      KvBytes.write(test.pool.layout(), sequence, SALT, tokens, matched);
      sequence.finish();
      return matched;
    }
  }

  private static void assertNothingHeld(TestEngine test) {
    assertThat(test.report().sequences()).isEmpty();
    test.engine.locked(() -> {
      test.partition.dropCached();
      return test;
    });
    assertThat(test.pool.freeBlocks()).isEqualTo(test.pool.blocks());
  }

  @Test
  void copiesMatchAsIfTheyWereComputed() {
    Random random = new Random(5);
    int copied = 0;
    try (TestEngine one = new TestEngine(14);
        TestEngine other = new TestEngine(9)) {
      List<TestEngine> engines = List.of(one, other);
      List<PageExchange> exchanges = List.of(exchange(one), exchange(other));
      for (int i = 0; i < 2_000; i++) {
        List<Integer> tokens = prompt(random);
        int[] prompt = tokens.stream().mapToInt(Integer::intValue).toArray();
        int from = random.nextInt(2);
        if (random.nextBoolean()) {
          run(engines.get(from), tokens);
        }
        PageExchange source = exchanges.get(from);
        PageExchange target = exchanges.get(1 - from);
        int first = random.nextInt(MOST_PAGES);
        List<byte[]> pages =
            source.read(TestEngine.MODEL, prompt, first, 1 + random.nextInt(MOST_PAGES));
        int before = target.cachedPages(TestEngine.MODEL, prompt);
        int after = target.write(TestEngine.MODEL, prompt, first, pages);
        assertThat(source.cachedPages(TestEngine.MODEL, prompt))
            .isGreaterThanOrEqualTo(pages.isEmpty() ? 0 : first + pages.size());
        assertThat(after)
            .isEqualTo(Math.min(target.cachedPages(TestEngine.MODEL, prompt), first + pages.size()))
            .isGreaterThanOrEqualTo(Math.min(before, first + pages.size()));
        copied += after > before ? 1 : 0;
        assertThat(run(engines.get(1 - from), tokens) / TestEngine.BLOCK_TOKENS)
            .isGreaterThanOrEqualTo(after);
      }
      assertThat(copied).isGreaterThan(100);
      assertNothingHeld(one);
      assertNothingHeld(other);
    }
  }

  @Test
  void pagesAreReadWhileSequencesRun() throws Exception {
    try (TestEngine source = new TestEngine(14);
        TestEngine target = new TestEngine(9);
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      PageExchange from = exchange(source);
      PageExchange to = exchange(target);
      AtomicBoolean over = new AtomicBoolean();
      Future<Integer> reads =
          threads.submit(() -> {
            Random random = new Random(1);
            int read = 0;
            while (!over.get() || read == 0) {
              List<Integer> tokens = prompt(random);
              int[] prompt = tokens.stream().mapToInt(Integer::intValue).toArray();
              List<byte[]> pages = from.read(TestEngine.MODEL, prompt, 0, MOST_PAGES);
              to.write(TestEngine.MODEL, prompt, 0, pages);
              // Checks the bytes.
              run(target, tokens);
              read += pages.size();
            }
            return read;
          });
      Random random = new Random(2);
      for (int i = 0; i < 2_000; i++) {
        run(source, prompt(random));
      }
      over.set(true);
      assertThat(reads.get()).isPositive();
      assertNothingHeld(source);
      assertNothingHeld(target);
    }
  }

  /** Returns a prompt of few different tokens, so that prompts share prefixes. */
  private static List<Integer> prompt(Random random) {
    List<Integer> tokens = new ArrayList<>();
    for (int t = random.nextInt(TestEngine.BLOCK_TOKENS * MOST_PAGES); t >= 0; t--) {
      tokens.add(t % TestEngine.BLOCK_TOKENS == 0 ? random.nextInt(2) : 7);
    }
    return tokens;
  }

  @Test
  void copiesTakeNoMemoryFromRunningSequences() {
    try (TestEngine full = new TestEngine(4);
        TestEngine source = new TestEngine(8)) {
      Sequence running = full.openWith(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
      List<Integer> tokens = List.of(9, 9, 9, 9, 8, 8, 8, 8);
      run(source, tokens);
      int[] prompt = tokens.stream().mapToInt(Integer::intValue).toArray();
      List<byte[]> pages = exchange(source).read(TestEngine.MODEL, prompt, 0, 2);
      assertThat(pages).hasSize(2);
      assertThat(exchange(full).write(TestEngine.MODEL, prompt, 0, pages)).isZero();
      assertThat(running.state()).isEqualTo(SequenceState.OPEN);
      running.abort();
      assertThat(exchange(full).write(TestEngine.MODEL, prompt, 0, pages)).isEqualTo(2);
      assertThat(exchange(full).write(TestEngine.MODEL, prompt, 1, pages.subList(1, 2)))
          .isEqualTo(2);
      assertNothingHeld(full);
    }
  }
}
