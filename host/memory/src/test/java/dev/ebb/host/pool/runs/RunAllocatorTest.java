package dev.ebb.host.pool.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunAllocatorTest {

  private static final int SHORT = 32;

  private record Run(int first, int length) {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anyHistoryAgreesWithASetOfBlocks(long seed) {
    Random random = new Random(seed);
    int blocks = 1 + random.nextInt(700);
    int longest = 1 + random.nextInt(seed % 2 == 0 ? 20 : 200);
    RunAllocator allocator = new RunAllocator(blocks, SHORT);
    BitSet taken = new BitSet();
    List<Run> held = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      int action = random.nextInt(10);
      if (action < 5) {
        allocateRun(allocator, taken, held, 1 + random.nextInt(longest));
      } else if (action == 5) {
        allocateScattered(allocator, taken, held, random.nextInt(10));
      } else if (!held.isEmpty()) {
        freePart(allocator, taken, held, random);
      }
      check(allocator, taken, blocks);
    }
  }

  private static void allocateRun(
      RunAllocator allocator, BitSet taken, List<Run> held, int length) {
    int shortest = shortestFreeRun(taken, allocator.blocks(), length);
    int first = allocator.allocate(length);
    if (shortest < 0) {
      assertThat(first).isEqualTo(RunAllocator.NONE);
      return;
    }
    assertThat(taken.get(first, first + length).isEmpty()).isTrue();
    int end = taken.nextSetBit(first);
    int run = (end < 0 ? allocator.blocks() : end) - (taken.previousSetBit(first) + 1);
    assertThat(run)
        .as("the run of '%d' was taken from", length)
        .isEqualTo(length <= 64 ? shortest : run)
        .isGreaterThanOrEqualTo(length);
    taken.set(first, first + length);
    held.add(new Run(first, length));
  }

  private static void allocateScattered(
      RunAllocator allocator, BitSet taken, List<Run> held, int count) {
    int[] into = new int[count + 1];
    boolean enough = allocator.blocks() - taken.cardinality() >= count;
    assertThat(allocator.allocateScattered(into, 1, count)).isEqualTo(enough);
    for (int i = 1; enough && i <= count; i++) {
      assertThat(taken.get(into[i])).isFalse();
      taken.set(into[i]);
      held.add(new Run(into[i], 1));
    }
  }

  private static void freePart(
      RunAllocator allocator, BitSet taken, List<Run> held, Random random) {
    Run run = held.remove(random.nextInt(held.size()));
    int kept = random.nextInt(4) == 0 ? random.nextInt(run.length) : 0;
    if (kept > 0) {
      held.add(new Run(run.first, kept));
    }
    allocator.free(run.first + kept, run.length - kept);
    taken.clear(run.first + kept, run.first + run.length);
    assertThatThrownBy(() -> allocator.free(run.first, run.length))
        .isInstanceOf(IllegalStateException.class);
  }

  private static void check(RunAllocator allocator, BitSet taken, int blocks) {
    int shortBlocks = 0;
    int runs = 0;
    for (int first = taken.nextClearBit(0); first < blocks; ) {
      int end = taken.nextSetBit(first);
      int length = (end < 0 ? blocks : end) - first;
      shortBlocks += length < SHORT ? length : 0;
      runs++;
      first = taken.nextClearBit(first + length);
    }
    int free = blocks - taken.cardinality();
    assertThat(allocator.freeBlocks()).isEqualTo(free);
    assertThat(allocator.fragmentation()).isEqualTo(runs < 2 ? 0 : (double) shortBlocks / free);
  }

  private static int shortestFreeRun(BitSet taken, int blocks, int length) {
    int best = -1;
    for (int first = taken.nextClearBit(0); first < blocks; ) {
      int end = taken.nextSetBit(first);
      int run = (end < 0 ? blocks : end) - first;
      if (run >= length && (best < 0 || run < best)) {
        best = run;
      }
      first = taken.nextClearBit(first + run);
    }
    return best;
  }

  @Test
  void theTailGoesStraightBack() {
    RunAllocator allocator = new RunAllocator(16, SHORT);

    assertThat(allocator.allocate(10)).isZero();
    assertThat(allocator.allocate(6)).isEqualTo(10);
    assertThat(allocator.freeBlocks()).isZero();
  }

  @Test
  void particularBlocksCanBeTaken() {
    RunAllocator allocator = new RunAllocator(100, SHORT);

    allocator.takeAt(40, 20);

    assertThat(allocator.firstTaken(0, 100)).isEqualTo(40);
    assertThat(allocator.firstFree(40, 60)).isEqualTo(60);
    assertThat(allocator.allocateInHole(10, 40)).isEqualTo(RunAllocator.NONE);
    assertThat(allocator.allocateInHole(10, 41)).isNotEqualTo(RunAllocator.NONE);
  }

  @Test
  void foreignBlocksAreRefused() {
    RunAllocator allocator = new RunAllocator(10, SHORT);

    assertThat(allocator.allocate(11)).isEqualTo(RunAllocator.NONE);
    assertThatThrownBy(() -> allocator.free(8, 3))
        .hasMessage("blocks '8' to '10' are not all allocated blocks from 0 to 9");
    assertThatThrownBy(() -> allocator.free(-1, 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> allocator.free(0, Integer.MAX_VALUE))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> allocator.allocate(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RunAllocator(0, SHORT))
        .hasMessage("blocks '0' must be from 1 to 536870911");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64, 65, 66, 71, 72, 128, 129, 1000, 1 << 20, Integer.MAX_VALUE - 1})
  void binsAreInOrderAndASureBinHoldsOnlyWhatFits(int length) {
    assertThat(RunBins.bin(length)).isLessThanOrEqualTo(RunBins.bin(length + 1));
    int sure = RunBins.sureBin(length);
    assertThat(RunBins.bin(length)).isBetween(sure - 1, sure);
    assertThat(length == 1 || RunBins.bin(length - 1) < sure).isTrue();
  }
}
