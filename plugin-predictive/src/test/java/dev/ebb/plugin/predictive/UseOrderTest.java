package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.SimEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UseOrderTest {

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 5", "3, 63", "4, 64", "5, 65", "6, 700"})
  void hasTheOrderOfAList(long seed, int count) {
    Random random = new Random(seed);
    UseOrder order = new UseOrder();
    Deque<CachedBlock> naive = new ArrayDeque<>();
    List<CachedBlock> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(new CachedBlock(new SimEntry(i), 1));
    }
    for (int step = 0; step < 20_000; step++) {
      CachedBlock block = blocks.get(random.nextInt(count));
      boolean there = naive.remove(block);
      assertThat(block.turn != UseOrder.ABSENT).as("seed %d step %d", seed, step).isEqualTo(there);
      switch (random.nextInt(there ? 8 : 4)) {
        case 0 -> {
          if (there) {
            order.remove(block);
          }
          order.addCold(block);
          naive.addFirst(block);
        }
        case 4 -> order.remove(block);
        default -> {
          order.use(block);
          naive.addLast(block);
        }
      }
      assertThat(order.cold()).isSameAs(naive.peekFirst());
      assertThat(order.size()).isEqualTo(naive.size());
    }
    while (!naive.isEmpty()) {
      CachedBlock coldest = naive.removeFirst();
      assertThat(order.cold()).isSameAs(coldest);
      order.remove(coldest);
    }
    assertThat(order.cold()).isNull();
  }
}
