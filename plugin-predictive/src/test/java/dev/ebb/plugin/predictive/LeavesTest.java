package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.SimEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeavesTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void sparedBlocksAreHeldAndNotDrawn(long seed) {
    Random random = new Random(seed);
    Leaves leaves = new Leaves(random);
    List<CachedBlock> held = new ArrayList<>();
    Set<CachedBlock> spared = new HashSet<>();
    for (int i = 0; i < 5000; i++) {
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> {
          CachedBlock block = new CachedBlock(new SimEntry(i), 1);
          block.cohort = i;
          leaves.add(block);
          held.add(block);
        }
        case 3 -> {
          if (!held.isEmpty()) {
            CachedBlock block = held.remove(random.nextInt(held.size()));
            leaves.remove(block);
            spared.remove(block);
            assertThat(block.place).isEqualTo(Leaves.ABSENT);
          }
        }
        case 4 -> {
          if (!held.isEmpty()) {
            CachedBlock block = held.get(random.nextInt(held.size()));
            leaves.spare(block);
            spared.add(block);
          }
        }
        default -> {
          if (random.nextInt(20) == 0) {
            leaves.spareNone();
            spared.clear();
          }
        }
      }
      check(leaves, held, spared);
    }
  }

  private static void check(Leaves leaves, List<CachedBlock> held, Set<CachedBlock> spared) {
    assertThat(leaves.size()).isEqualTo(held.size());
    assertThat(leaves.drawable()).isEqualTo(held.size() - spared.size());
    for (CachedBlock block : held) {
      assertThat(leaves.get(block.place)).isSameAs(block);
      assertThat(leaves.cohort(block.place)).isEqualTo(block.cohort);
      assertThat(block.place >= leaves.drawable()).isEqualTo(spared.contains(block));
    }
    if (leaves.drawable() > 0) {
      assertThat(spared).doesNotContain(leaves.get(leaves.draw()));
    }
  }
}
