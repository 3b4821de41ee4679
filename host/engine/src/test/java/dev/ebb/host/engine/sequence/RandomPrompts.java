package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.engine.pool.OutOfBlocksException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Serves random prompts, several at a time, many of which begin like another one. */
abstract class RandomPrompts {

  private final TestEngine host;
  private final Random random;
  private final List<int[]> prompts = new ArrayList<>(List.of(tokens(7, 20)));

  RandomPrompts(TestEngine host, long seed) {
    this.host = host;
    this.random = new Random(seed);
  }

  /** Returns how many tokens of another prompt the next one begins with. */
  abstract int start(Random random, int length);

  /** Computes a prompt, and returns how many of its tokens the sequence had already. */
  abstract int prefill(Random random, Sequence sequence, int... tokens);

  /** Ends a sequence, whose tokens from {@code computed} on are new. */
  abstract void finish(Sequence sequence, int computed, int... tokens);

  abstract void check(List<Sequence> open);

  /**
   * Runs all to the end, in a pool that is too small, and drops what is cached.
   *
   * @param mostAdded tokens, exclusive, that a prompt adds to the start of another one
   * @param mostOpen sequences, exclusive, that stay open
   * @return the share of the prompts' tokens that were not computed
   */
  double run(int steps, int mostAdded, int longest, int mostOpen) {
    List<Sequence> open = new ArrayList<>();
    List<int[]> of = new ArrayList<>();
    long matched = 0;
    long all = 0;
    for (int step = 0; step < steps; step++) {
      int[] other = prompts.get(random.nextInt(prompts.size()));
      int[] start = Arrays.copyOf(other, start(random, other.length));
      int[] tokens = join(start, tokens(random.nextInt(50), random.nextInt(mostAdded)));
      tokens = Arrays.copyOf(tokens, Math.min(tokens.length, longest));
      try {
        Sequence sequence = host.open(tokens);
        matched += prefill(random, sequence, tokens);
        all += tokens.length;
        open.add(sequence);
        of.add(tokens);
      } catch (OutOfBlocksException full) {
        assertThat(open).isNotEmpty();
      }
      if (prompts.size() < 30) {
        prompts.add(tokens);
      } else {
        prompts.set(random.nextInt(prompts.size()), tokens);
      }
      while (open.size() > random.nextInt(mostOpen)) {
        int index = random.nextInt(open.size());
        end(open.remove(index), of.remove(index));
      }
      check(open);
    }
    while (!open.isEmpty()) {
      end(open.removeLast(), of.removeLast());
    }
    host.engine.locked(() -> {
      host.partition.dropCached();
      return host;
    });
    assertThat(host.pool.freeBlocks()).isEqualTo(host.pool.blocks());
    return (double) matched / all;
  }

  private void end(Sequence sequence, int... tokens) {
    if (random.nextInt(5) == 0) {
      sequence.abort();
      return;
    }
    int[] grown = tokens;
    try {
      int[] answer = tokens(random.nextInt(9), random.nextInt(8));
      sequence.append(answer);
      grown = join(tokens, answer);
    } catch (OutOfBlocksException full) {
      // The prompt is kept.
    }
    finish(sequence, tokens.length, grown);
  }

  static int[] tokens(int seed, int length) {
    return new Random(seed).ints(length, 0, 1_000).toArray();
  }

  static int[] join(int[] first, int... second) {
    int[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
