package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TestContextTest {

  private final TestContext context =
      TestContext.ofCapacity(3)
          .with("count", "7")
          .with("ratio", "0.5")
          .with("eager", "yes")
          .with("window", "5 minutes")
          .with("reason", "background")
          .with("title", "x");
  private final Settings settings = context.settings();

  @Test
  void readsEachTypeOfSetting() {
    assertThat(settings.integer("count", 1, 0, 10)).isEqualTo(7);
    assertThat(settings.number("ratio", 1, 0, 1)).isEqualTo(0.5);
    assertThat(settings.flag("eager", false)).isTrue();
    assertThat(settings.duration("window", Duration.ZERO)).isEqualTo(Duration.ofMinutes(5));
    assertThat(settings.choice("reason", Demand.Reason.MANUAL)).isEqualTo(Demand.Reason.BACKGROUND);
    assertThat(settings.string("title", "")).isEqualTo("x");
    assertThat(settings.integer("absent", 3, 0, 10)).isEqualTo(3);
  }

  @Test
  void refusesWrongValuesAndSaysWhatIsAllowed() {
    assertThatThrownBy(() -> settings.integer("count", 1, 0, 5))
        .isInstanceOf(SettingException.class)
        .hasMessage("'count' = '7': must be a whole number from 0 to 5");
    assertThatThrownBy(() -> settings.integer("title", 1, 0, 5))
        .isInstanceOf(SettingException.class);
    assertThatThrownBy(() -> settings.choice("title", Demand.Reason.MANUAL))
        .hasMessage("'title' = 'x': must be one of allocation, background, manual, resize");
    assertThatThrownBy(() -> settings.duration("title", Duration.ZERO))
        .isInstanceOf(SettingException.class);
  }

  @Test
  void tellsWhichSettingsWereNotRead() {
    var _ = settings.integer("count", 1, 0, 10);
    assertThat(context.unreadSettings())
        .containsExactly("eager", "ratio", "reason", "title", "window");
  }

  @Test
  void namesThePredictorsThereAre() {
    assertThatThrownBy(() -> context.with(new MeanPredictorProvider()).predictor("best"))
        .isInstanceOf(SettingException.class)
        .hasMessage("no plugin offers the lifetime predictor 'best'; there are [mean]");
    assertThat(context.predictor("mean")).isNotNull();
  }

  @Test
  void givesTheSameRandomNumbersForTheSameSeed() {
    assertThat(TestContext.ofCapacity(1).withSeed(5).random().nextLong())
        .isEqualTo(TestContext.ofCapacity(1).withSeed(5).random().nextLong())
        .isNotEqualTo(TestContext.ofCapacity(1).withSeed(6).random().nextLong());
  }

  @Test
  void movesTimeOnlyWhenTold() {
    TestClock clock = context.clock();
    clock.advance(Duration.ofSeconds(2));
    Entry entry = TestEntry.of(1).created(clock.nanos(), clock.nextTick());
    assertThat(entry.lastAccessNanos()).isEqualTo(2_000_000_000L);
    assertThat(entry.lastAccessTick()).isEqualTo(1);
    assertThat(entry.accesses()).isEqualTo(1);
  }
}
