package dev.ebb.host.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectGroupsTest {

  @Test
  void theUsablePrefixIsTheLongestThatEachGroupCanServe() {
    Random random = new Random(7);
    for (int round = 0; round < 20_000; round++) {
      ObjectGroups groups = random(random);
      int chunks = random.nextInt(12);
      long[] present = new long[chunks];
      for (int i = 0; i < chunks; i++) {
        for (int group = 0; group < groups.size(); group++) {
          present[i] |= random.nextInt(5) > 0 ? 1L << group : 0;
        }
      }
      assertThat(groups.usable(present, chunks))
          .as("%s of %s", groups, present)
          .isEqualTo(naive(groups, present, chunks));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "full:10;state:30, full:1;state:3",
    "full:7;window=2:5, full:7;window=2:5",
    "full:6, full:1",
    "full:1;state:65536, full:1;state:65536"
  })
  void weightsAreReducedToTheSmallestOnes(String text, String reduced) {
    SizedGroups sized = ObjectGroups.parseSized("groups", text.replace(';', ','));
    assertThat(sized.reduced()).hasToString(reduced.replace(';', ','));
  }

  @Test
  void weightsThatAreTooLargeAreRounded() {
    ObjectGroups groups = ObjectGroups.parse("groups", "full,state");
    assertThat(new SizedGroups(groups, List.of(3, 2_000_000)).reduced())
        .hasToString("full:1,state:65536");
  }

  private static ObjectGroups random(Random random) {
    List<ObjectGroup> groups = new ArrayList<>(List.of(ObjectGroup.FULL));
    for (int more = random.nextInt(3); more > 0; more--) {
      groups.add(
          switch (random.nextInt(3)) {
            case 0 -> ObjectGroup.FULL;
            case 1 -> ObjectGroup.STATE;
            default -> ObjectGroup.window(1 + random.nextInt(4));
          });
    }
    return new ObjectGroups(groups);
  }

  /** The definition, length by length. */
  private static int naive(ObjectGroups groups, long[] present, int chunks) {
    int usable = 0;
    for (int length = 1; length <= chunks; length++) {
      boolean served = true;
      for (int group = 0; group < groups.size(); group++) {
        int needed = groups.isFull(group) ? length : Math.min(length, groups.window(group));
        for (int back = 1; back <= needed; back++) {
          served &= (present[length - back] & 1L << group) != 0;
        }
      }
      usable = served ? length : usable;
    }
    return usable;
  }

  @Test
  void readsGroupsWithWeights() {
    SizedGroups sized = ObjectGroups.parseSized("--groups", "full:1, state:3,window=4:2");

    assertThat(sized).hasToString("full:1,state:3,window=4:2");
    assertThat(sized.whole()).isEqualTo(6);
    assertThat(sized.full()).isEqualTo(1);
    assertThat(sized.groups())
        .isEqualTo(ObjectGroups.parseSized("x", "full,state,window=4").groups());
    assertThat(sized.groups().areFull()).isFalse();
    assertThat(ObjectGroups.ONE.areFull()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "full:1,mamba:3;'mamba' in 'full:1,mamba:3' is no kind of group",
        "state:3;'state:3' has no group 'full'",
        "full:0;'0' in 'full:0' must be a whole number from 1 to 65536",
        "full:1,window=x:2;'x' in 'full:1,window=x:2' must be a whole number from 1 to 1048576",
        "full:1,window:2;'window' in 'full:1,window:2' is no kind of group",
        "full:1,,state:1;'' in 'full:1,,state:1' is no kind of group",
        "full:1:2;'1:2' in 'full:1:2' must be a whole number"
      })
  void refusesWhatIsNoGroup(String text, String message) {
    assertThatThrownBy(() -> ObjectGroups.parseSized("--groups", text))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith("--groups: ")
        .hasMessageContaining(message);
  }
}
