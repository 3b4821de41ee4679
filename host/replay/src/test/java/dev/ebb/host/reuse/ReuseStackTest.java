package dev.ebb.host.reuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the trees and counts with plain lists. */
class ReuseStackTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void sumsAndSearchesAgreeWithAList(long seed) {
    Random random = new Random(seed);
    FenwickTree tree = new FenwickTree();
    long[] list = new long[300];
    for (int step = 0; step < 2_000; step++) {
      int index = random.nextInt(1 + Math.min(step, list.length - 1));
      long amount = random.nextBoolean() ? random.nextLong(10) : -random.nextLong(list[index] + 1);
      list[index] += amount;
      tree.add(index, amount);

      int end = random.nextInt(list.length + 1);
      assertThat(tree.sum(end)).isEqualTo(Arrays.stream(list, 0, end).sum());
      assertThat(tree.total()).isEqualTo(Arrays.stream(list).sum());
      if (tree.total() > 0) {
        long target = 1 + random.nextLong(tree.total());
        assertThat(tree.find(target)).isEqualTo(find(list, target));
      }
    }
  }

  private static int find(long[] list, long target) {
    long sum = 0;
    for (int i = 0; i < list.length; i++) {
      sum += list[i];
      if (sum >= target) {
        return i;
      }
    }
    throw new AssertionError("the target is above the total");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void distancesAreThoseOfAnLruList(long seed) {
    Random random = new Random(seed);
    ReuseStack stack = new ReuseStack();
    List<int[]> prompts = new ArrayList<>();
    List<Integer> lru = new ArrayList<>();
    for (int request = 0; request < 300; request++) {
      int[] prompt = prompt(random, stack, prompts);
      for (int depth = 1; depth <= prompt.length; depth++) {
        int block = prompt[depth - 1];
        int last = stack.lastUser(block);
        if (last == ReuseStack.NONE) {
          assertThat(lru).doesNotContain(block);
          continue;
        }
        int distance = lru.indexOf(block) + 1;
        assertThat(stack.distance(last, depth)).isEqualTo(distance);
        assertThat(stack.requestAt(distance)).isEqualTo(last);
        assertThat(stack.reused(last)).isLessThan(depth);
        assertThat(prompts.get(last)[depth - 1]).isEqualTo(block);
        assertThat(stack.uses(block)).isEqualTo(uses(prompts, block));
      }
      stack.add(prompt, prompt.length);
      prompts.add(prompt);
      // The last block is used first, so it is the first that LRU evicts.
      for (int i = prompt.length - 1; i >= 0; i--) {
        lru.remove((Integer) prompt[i]);
        lru.addFirst(prompt[i]);
      }
      assertThat(newestFirst(stack))
          .isEqualTo(lru.stream().map(stack::lastUser).distinct().toList());
    }
    assertThat(stack.requestAt(lru.size() + 10L)).isEqualTo(stack.lastUser(lru.getLast()));
  }

  private static int[] prompt(Random random, ReuseStack stack, List<int[]> prompts) {
    int[] source =
        prompts.isEmpty() || random.nextInt(4) == 0
            ? new int[0]
            : prompts.get(random.nextInt(prompts.size()));
    int shared = source.length == 0 ? 0 : random.nextInt(source.length + 1);
    int[] prompt = Arrays.copyOf(source, shared + random.nextInt(5) + (shared == 0 ? 1 : 0));
    for (int i = shared; i < prompt.length; i++) {
      prompt[i] = stack.addBlock();
    }
    return prompt;
  }

  private static int uses(List<int[]> prompts, int block) {
    return (int)
        prompts.stream().filter(prompt -> Arrays.stream(prompt).anyMatch(b -> b == block)).count();
  }

  private static List<Integer> newestFirst(ReuseStack stack) {
    List<Integer> requests = new ArrayList<>();
    for (int at = stack.requestAt(1); at != ReuseStack.NONE; at = stack.older(at)) {
      int older = stack.older(at);
      assertThat(older == ReuseStack.NONE ? at : stack.newer(older)).isEqualTo(at);
      requests.add(at);
    }
    return requests;
  }
}
