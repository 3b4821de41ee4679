package dev.ebb.host.store.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.pool.runs.RunAllocator;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that share a block. */
class SmallArenaTest {

  private static final int BLOCKS = 5;

  @ParameterizedTest
  @CsvSource({
    // length, beside, units
    "0, 1, 1",
    "1000, 24, 1",
    "1000, 25, 2",
    "4000, 96, 4",
    // A key is for nothing above 4 KiB.
    "4096, 1024, 4",
    "4096, 1025, 5",
    "8192, 50, 8",
    // 7 of 9 KiB have room in a block, 6 of 10, 5 of 12, 4 of 16, 3 of 21, 2 of 32.
    "9216, 50, 9",
    "11000, 50, 12",
    "16384, 50, 16",
    "20000, 50, 21",
    "22000, 50, 32",
    "32768, 1024, 32",
    "32769, 50, 64",
    "65536, 1024, 64",
    "65537, 50, 128"
  })
  void aValueIsChargedItsSlotOrItsBlocks(long length, long beside, long units) {
    assertThat(ObjectMemory.unitsFor(length, beside)).isEqualTo(units);
  }

  @Test
  void aLargerValueIsNeverChargedLess() {
    long before = 0;
    for (long length = 0; length <= 3L * ObjectMemory.BLOCK_BYTES; length += 7) {
      long units = ObjectMemory.unitsFor(length, 60);
      assertThat(units).isGreaterThanOrEqualTo(before);
      assertThat(units * ObjectMemory.UNIT_BYTES).isGreaterThanOrEqualTo(length);
      before = units;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 21, 32})
  void aBlockIsCutIntoAsManySlotsAsItHasRoomFor(int units) {
    RunAllocator blocks = new RunAllocator(BLOCKS, 1);
    SmallArena arena = new SmallArena(blocks);
    List<Long> taken = new ArrayList<>();
    BitSet used = new BitSet();
    for (long unit = arena.allocate(units); unit != SmallArena.NONE; unit = arena.allocate(units)) {
      taken.add(unit);
      int first = (int) unit;
      assertThat(used.get(first, first + units).isEmpty()).isTrue();
      used.set(first, first + units);
      assertThat(first / ObjectMemory.BLOCK_UNITS)
          .isEqualTo((first + units - 1) / ObjectMemory.BLOCK_UNITS);
    }
    assertThat(taken).hasSize(BLOCKS * (ObjectMemory.BLOCK_UNITS / units));

    Collections.shuffle(taken, new Random(units));
    taken.forEach(arena::free);
    assertThat(blocks.freeBlocks()).isEqualTo(BLOCKS);
    assertThat(arena.pages()).isZero();
  }
}
