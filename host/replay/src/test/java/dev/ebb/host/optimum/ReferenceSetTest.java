package dev.ebb.host.optimum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReferenceSetTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 63, 64, 65, 4095, 4096, 4097, 300_000})
  void behavesAsASortedSet(int bound) {
    Random random = new Random(bound);
    ReferenceSet set = new ReferenceSet(bound);
    TreeSet<Integer> expected = new TreeSet<>();
    for (int step = 0; step < 20_000; step++) {
      int reference = random.nextInt(bound);
      if (random.nextInt(8) < (step / 4000 % 2 == 0 ? 5 : 2)) {
        if (expected.add(reference)) {
          set.add(reference);
        }
      } else {
        int removed = random.nextBoolean() || expected.isEmpty() ? reference : expected.last();
        assertThat(set.remove(removed)).isEqualTo(expected.remove(removed));
      }
      assertThat(set.size()).isEqualTo(expected.size());
      assertThat(set.contains(reference)).isEqualTo(expected.contains(reference));
      if (!expected.isEmpty()) {
        assertThat(set.largest())
            .as("bound and seed %d, step %d", bound, step)
            .isEqualTo(expected.last());
      }
    }
  }
}
