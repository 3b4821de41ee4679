package dev.ebb.host.replay.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskAdmissionTest {

  private static final int OFTEN = 3;
  private static final int SELDOM = 5;

  private final Random random = new Random(1);
  private long requests;

  @Test
  void blocksThatReturnMoreOftenAreWritten() {
    ReuseAdmission reuse = new ReuseAdmission(() -> 0.5);
    int often = 0;
    int seldom = 0;
    for (int i = 0; i < 20_000; i++) {
      boolean returns = i % 2 == 0;
      boolean admitted = decide(reuse, returns ? OFTEN : SELDOM);
      if (returns && random.nextInt(10) == 0) {
        reuse.requestedAgain(OFTEN);
      }
      if (i >= 10_000) {
        often += returns && admitted ? 1 : 0;
        seldom += !returns && admitted ? 1 : 0;
      }
    }

    assertThat(often).isGreaterThan(4_500);
    assertThat(seldom).isLessThan(500);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.4, 0.9})
  void soManyAreWrittenAlsoOfBlocksThatAreAlike(double share) {
    ReuseAdmission reuse = new ReuseAdmission(() -> share);
    int written = 0;
    for (int i = 0; i < 20_000; i++) {
      written += decide(reuse, OFTEN) ? 1 : 0;
    }

    assertThat(written / 20_000.0).isBetween(share - 0.05, share + 0.05);
  }

  @Test
  void theBudgetOfTheDaysIsNotExceeded() {
    AtomicLong now = new AtomicLong();
    WriteBudget budget = new WriteBudget(2_400, now::get);
    int written = 0;
    for (int i = 0; i < 50_000; i++) {
      now.addAndGet(10_000_000_000L);
      written += decide(budget, random.nextInt(UseProfile.COUNT)) ? 1 : 0;
    }
    double days = now.get() / 86_400e9;

    assertThat(written).isBetween((int) (2_200 * days), (int) (2_400 * days) + 100);
  }

  @Test
  void aProfileIsOneOfThoseCounted() {
    for (int i = 0; i < 10_000; i++) {
      int blocks = 1 + random.nextInt(300);
      int index = random.nextInt(blocks);
      int matched = random.nextInt(blocks + 1);
      int profile =
          UseProfile.of(1 + random.nextInt(9), index, blocks, matched, random.nextInt(-1, 1 << 20));

      assertThat(profile).isBetween(0, UseProfile.COUNT - 1);
      assertThat(UseProfile.coarse(profile)).isBetween(0, UseProfile.COARSE - 1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"reuse", "reuse=0%", "reuse=101%", "reuse=x%", "write-budget=0", "reuse=5"})
  void aWrongRuleIsNamed(String rule) {
    assertThatThrownBy(() -> AdmissionRule.parseAll(rule, "--disk-admission"))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'" + rule + "'", "write-budget=100000");
  }

  @Test
  void rulesAreListedOnce() {
    assertThat(AdmissionRule.parseAll("all, reuse=40%,all", "--disk-admission"))
        .extracting(AdmissionRule::text)
        .isEqualTo(List.of("all", "reuse=40%"));
  }

  private boolean decide(DiskAdmission admission, int profile) {
    TieredBlock block = new TieredBlock();
    block.profile = profile;
    block.request = ++requests;
    boolean admitted = admission.admits(block);
    if (admitted) {
      admission.written();
    }
    return admitted;
  }
}
