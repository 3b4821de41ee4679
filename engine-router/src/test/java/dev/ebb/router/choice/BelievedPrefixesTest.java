package dev.ebb.router.choice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BelievedPrefixesTest {

  /** A list of whole prefixes, the most recently used last. */
  private static final class Naive {
    private final List<List<Long>> used = new ArrayList<>();
    private final int capacity;

    Naive(int capacity) {
      this.capacity = capacity;
    }

    void use(long[] chain) {
      for (int length = Math.min(capacity, chain.length); length > 0; length--) {
        List<Long> prefix = prefix(chain, length);
        used.remove(prefix);
        used.add(prefix);
      }
      while (used.size() > capacity) {
        used.removeFirst();
      }
    }

    void forget(long[] chain, int first) {
      if (first < chain.length) {
        List<Long> prefix = prefix(chain, first + 1);
        used.removeIf(
            each -> each.size() >= prefix.size() && each.subList(0, prefix.size()).equals(prefix));
      }
    }

    int match(long[] chain) {
      int matched = 0;
      while (matched < chain.length && used.contains(prefix(chain, matched + 1))) {
        matched++;
      }
      return matched;
    }

    private static List<Long> prefix(long[] chain, int length) {
      return Arrays.stream(chain).limit(length).boxed().toList();
    }
  }

  /** Returns a path in a tree, so that an id names all ids before it. */
  private static long[] chain(Random random) {
    long[] chain = new long[1 + random.nextInt(8)];
    long id = 1;
    for (int i = 0; i < chain.length; i++) {
      id = 4 * id + random.nextInt(3);
      chain[i] = id;
    }
    return chain;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void isTheLruTreeOfPrefixes(long seed) {
    Random random = new Random(seed);
    int capacity = 1 + random.nextInt(60);
    BelievedPrefixes believed = new BelievedPrefixes(capacity);
    Naive naive = new Naive(capacity);
    for (int step = 0; step < 600; step++) {
      long[] chain = chain(random);
      if (random.nextInt(10) == 0) {
        int first = random.nextInt(chain.length);
        believed.forget(chain, first);
        naive.forget(chain, first);
      } else {
        believed.use(chain, true, step);
        naive.use(chain);
      }
      long[] asked = chain(random);
      assertThat(believed.match(asked))
          .as("seed %d, step %d", seed, step)
          .isEqualTo(naive.match(asked));
      assertThat(believed.size()).isEqualTo(naive.used.size());
    }
  }

  @Test
  void blocksAreProvenByAnAnswer() {
    BelievedPrefixes believed = new BelievedPrefixes(10);
    long[] chain = {1, 2, 3};
    believed.use(chain, false, 0);
    assertThat(believed.match(chain)).isEqualTo(3);
    assertThat(believed.proven(chain)).isZero();
    believed.use(new long[] {1, 2}, true, 0);
    assertThat(believed.proven(chain)).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 50, 200})
  void theCapacityIsLearnedFromAnswers(int engineCapacity) {
    BelievedPrefixes engine = new BelievedPrefixes(engineCapacity);
    BelievedPrefixes believed = new BelievedPrefixes(1_000);
    Random random = new Random(engineCapacity);
    int wrong = 0;
    for (int step = 0; step < 6_000; step++) {
      long[] chain = {random.nextInt(100), 0, 0, 0};
      for (int i = 1; i < chain.length; i++) {
        chain[i] = 1_000L * i + chain[0];
      }
      int cached = engine.match(chain);
      int matched = believed.match(chain);
      if (matched != cached) {
        believed.correct(chain, matched, cached);
        wrong += step < 3_000 ? 0 : 1;
      }
      engine.use(chain, true, step);
      believed.use(chain, true, step);
    }
    // All prefixes together have 400 blocks.
    assertThat(believed.size()).isBetween(engineCapacity * 3 / 4, engineCapacity * 4 / 3);
    assertThat(wrong).as("of 3000").isLessThan(600);
  }

  @Test
  void anEngineThatWasEmptiedKeepsItsCapacity() {
    BelievedPrefixes believed = new BelievedPrefixes(1_000);
    for (int i = 0; i < 100; i++) {
      believed.use(new long[] {1, 100 + i}, true, i);
    }
    believed.correct(new long[] {1, 150}, 2, 0);
    assertThat(believed.size()).isZero();
    assertThat(believed.capacity()).isEqualTo(1_000);
  }

  @Test
  void theOldestBlockIsIdleOnlyIfItIsTheNextVictim() {
    BelievedPrefixes believed = new BelievedPrefixes(2);
    believed.use(new long[] {1}, true, 10);
    assertThat(believed.idleNanos(100)).isEqualTo(Long.MAX_VALUE);
    believed.use(new long[] {2}, true, 30);
    assertThat(believed.idleNanos(100)).isEqualTo(90);
  }
}
