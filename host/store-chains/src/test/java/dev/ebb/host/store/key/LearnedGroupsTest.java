package dev.ebb.host.store.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.group.ObjectGroups;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients read of prompts shows the kinds of object groups. */
class LearnedGroupsTest {

  private final LearnedGroups learned = new LearnedGroups();

  /**
   * Serves prompts of which the client has some leading chunks itself, and whose order is not known
   * now and then.
   */
  private void serve(String kinds, long seed, int prompts, int wrongOrders) {
    ObjectGroups groups = ObjectGroups.parse("test", kinds);
    Random random = new Random(seed);
    for (int i = 0; i < prompts; i++) {
      int usable = 1 + random.nextInt(40);
      int own = random.nextInt(3) == 0 ? random.nextInt(usable) : 0;
      // The last chunk is taken for another one.
      int last = random.nextInt(100) < wrongOrders ? random.nextInt(usable) : usable - 1;
      List<BitSet> reads = new ArrayList<>();
      for (int group = 0; group < groups.size(); group++) {
        BitSet read = new BitSet();
        int from = groups.isFull(group) ? 0 : usable - groups.window(group);
        read.set(Math.max(Math.max(0, from), own), usable);
        boolean swapped = read.get(last);
        read.set(last, read.get(usable - 1));
        read.set(usable - 1, swapped);
        reads.add(read);
      }
      learned.observe(reads);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'full,state', 0",
    "'state,full', 10",
    "'full,window=4', 0",
    "'window=4,full,state', 5",
    "'full,full,state,state', 5"
  })
  void kindsAreLearned(String kinds, int wrongOrders) {
    for (long seed = 0; seed < 20; seed++) {
      serve(kinds, seed, 400, wrongOrders);
    }

    assertThat(learned.groups()).isEqualTo(ObjectGroups.parse("test", kinds));
  }

  @Test
  void groupsOfWhichAllIsReadAreLeftAsTheyAre() {
    serve("full,full,full", 1, 10_000, 0);

    assertThat(learned.groups()).isNull();
  }

  @Test
  void aReadThatDoesNotFitRefutesWhatWasLearned() {
    serve("full,state", 1, 400, 0);
    assertThat(learned.groups()).isNotNull();

    serve("full,full", 2, 10, 0);
    assertThat(learned.groups()).isNull();
    assertThat(learned.prompts()).isLessThan(10);

    serve("full,window=3", 3, 400, 0);
    assertThat(learned.groups()).isEqualTo(ObjectGroups.parse("test", "full,window=3"));
  }

  @Test
  void oneChunkShowsNothing() {
    BitSet one = new BitSet();
    one.set(7);
    for (int i = 0; i < 100; i++) {
      learned.observe(List.of(one, one));
    }

    assertThat(learned.groups()).isNull();
    assertThat(learned.prompts()).isZero();
  }
}
