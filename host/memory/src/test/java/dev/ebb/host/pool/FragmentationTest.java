package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.pool.runs.RunAllocator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FragmentationTest {

  private static final int BLOCKS = 10_000;
  private static final int OPERATIONS = 1_000_000;
  private static final int LONGEST = 32;

  @Test
  void aPoolThatIsNineTenthsFullKeepsRunsForThoseWhoAsk() {
    Random random = new Random(11);
    RunAllocator allocator = new RunAllocator(BLOCKS, LONGEST);
    int[] firsts = new int[BLOCKS];
    int[] lengths = new int[BLOCKS];
    int held = 0;
    int requests = 0;
    int refused = 0;
    double used = 0;
    for (int i = 0; i < OPERATIONS; i++) {
      int length = 1 + random.nextInt(LONGEST);
      int first = RunAllocator.NONE;
      if (allocator.freeBlocks() > BLOCKS / 10) {
        requests++;
        first = allocator.allocate(length);
        refused += first == RunAllocator.NONE ? 1 : 0;
      }
      if (first != RunAllocator.NONE) {
        firsts[held] = first;
        lengths[held++] = length;
      } else {
        int index = random.nextInt(held);
        allocator.free(firsts[index], lengths[index]);
        firsts[index] = firsts[--held];
        lengths[index] = lengths[held];
      }
      used += i < OPERATIONS / 2 ? 0 : 1 - (double) allocator.freeBlocks() / BLOCKS;
    }
    assertThat(requests).isGreaterThan(OPERATIONS / 3);
    assertThat((double) refused / requests).as("share of refused runs").isLessThan(0.001);
    assertThat(used / (OPERATIONS - OPERATIONS / 2)).as("utilisation").isGreaterThan(0.895);
    int free = allocator.freeBlocks();
    assertThat(allocator.allocateScattered(new int[free], 0, free)).isTrue();
  }
}
