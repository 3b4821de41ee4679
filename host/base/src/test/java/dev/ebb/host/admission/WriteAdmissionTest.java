package dev.ebb.host.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which evicted values are written. */
class WriteAdmissionTest {

  /** Depths of different classes. */
  private static final int OFTEN = 3;

  private static final int SELDOM = 100;

  private final Random random = new Random(1);
  private long keys;

  @Test
  void onlyWhatWasUsedAgainOrEvictedBeforeIsWritten() {
    WriteAdmission admission = rule("second-use");
    assertThat(admission.admits(use(7, 2, OFTEN))).isTrue();
    assertThat(admission.admits(use(8, 1, OFTEN))).isFalse();
    assertThat(admission.admits(use(9, 1, OFTEN))).isFalse();
    assertThat(admission.admits(use(8, 1, OFTEN))).isTrue();
  }

  @Test
  void valuesThatReturnMoreOftenAreWritten() {
    WriteAdmission reuse = rule("reuse=50%");
    int often = 0;
    int seldom = 0;
    for (int i = 0; i < 20_000; i++) {
      boolean returns = i % 2 == 0;
      boolean admitted = decide(reuse, returns ? OFTEN : SELDOM);
      if (returns && random.nextInt(10) == 0) {
        reuse.requested(keys);
        // It counts once.
        reuse.requested(keys);
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
  @ValueSource(ints = {10, 40, 90})
  void soManyAreWrittenAlsoOfValuesThatAreAlike(int percent) {
    WriteAdmission reuse = rule("reuse=" + percent + "%");
    int written = 0;
    for (int i = 0; i < 20_000; i++) {
      written += decide(reuse, OFTEN) ? 1 : 0;
    }

    assertThat(written / 200.0).isBetween(percent - 5.0, percent + 5.0);
  }

  @Test
  void theBudgetOfTheDaysIsNotExceeded() {
    AtomicLong now = new AtomicLong();
    WriteBudget budget = new WriteBudget(2_400, now::get);
    int written = 0;
    for (int i = 0; i < 50_000; i++) {
      now.addAndGet(10_000_000_000L);
      written += decide(budget, random.nextInt(1_000)) ? 1 : 0;
    }
    double days = now.get() / 86_400e9;

    assertThat(written).isBetween((int) (2_200 * days), (int) (2_400 * days) + 100);
  }

  @Test
  void aClassIsOneOfThoseCounted() {
    for (int i = 0; i < 10_000; i++) {
      int useClass =
          UseClass.of(
              new EvictedUse(
                  1,
                  random.nextInt(9),
                  random.nextInt(1 << random.nextInt(1, 31)),
                  random.nextInt(9),
                  random.nextInt(-1, 1 << 20),
                  0));

      assertThat(useClass).isBetween(0, UseClass.COUNT - 1);
      assertThat(UseClass.coarse(useClass)).isBetween(0, UseClass.COARSE - 1);
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

  @Test
  void aBudgetOfBytesHasAUnit() {
    assertThat(AdmissionRule.find("write-budget=1.5 TiB", AdmissionRule.Unit.BYTES)).isPresent();
    assertThat(AdmissionRule.find("write-budget=100", AdmissionRule.Unit.BYTES)).isEmpty();
    assertThat(AdmissionRule.Unit.BYTES.allowed()).contains("\"write-budget=500 GiB\"");
  }

  private static WriteAdmission rule(String text) {
    return AdmissionRule.parseAll(text, "--disk-admission").getFirst().create().apply(() -> 0);
  }

  private boolean decide(WriteAdmission admission, int depth) {
    boolean admitted = admission.admits(use(++keys, 1, depth));
    if (admitted) {
      admission.written(1);
    }
    return admitted;
  }

  private static EvictedUse use(long key, int uses, int depth) {
    return new EvictedUse(key, uses, depth, 0, -1, key * 1_000_000_000L);
  }
}
