package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TestContextTest {

  private final TestContext context =
      TestContext.ofCapacity(3)
          .with("count", "7")
          .with("ratio", "0.5")
          .with("eager", "yes")
          .with("window", "5 minutes")
          .with("ghosts", "64 MiB")
          .with("reason", "background")
          .with("title", "x");
  private final Settings settings = context.settings();

  @Test
  void readsEachTypeOfSetting() {
    assertThat(settings.integer("count", 1, 0, 10)).isEqualTo(7);
    assertThat(settings.number("ratio", 1, 0, 1)).isEqualTo(0.5);
    assertThat(settings.flag("eager", false)).isTrue();
    assertThat(settings.duration("window", Duration.ZERO)).isEqualTo(Duration.ofMinutes(5));
    assertThat(settings.bytes("ghosts", 0, 0, 1L << 30)).isEqualTo(64L << 20);
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
    Duration minute = Duration.ofMinutes(1);
    assertThatThrownBy(() -> settings.duration("window", minute, Duration.ZERO, minute))
        .hasMessage(
            "'window' = '5 min': must be a duration with its unit, such as '10 s', from 0 s"
                + " to 1 min");
    assertThatThrownBy(() -> settings.bytes("ghosts", 1, 1, 1_000))
        .hasMessage(
            "'ghosts' = '67108864': must be a size with its unit, such as '16 MiB', of 1 to 1000"
                + " bytes");
  }

  @ParameterizedTest
  @CsvSource({
    "0 B, 0",
    "1.5 KiB, 1536",
    "2 kb, 2000",
    "3MB, 3000000",
    "1 EiB, 1152921504606846976"
  })
  void readsSizes(String text, long bytes) {
    assertThat(bytes(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"64", "-1 B", "1.5 B", "1 iB", "1 M", "1 MiBs", "16 EiB", "x"})
  void sizesNeedTheirUnit(String text) {
    assertThatThrownBy(() -> bytes(text))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("must be a size with its unit");
  }

  @ParameterizedTest
  @CsvSource({"10 ns, 0.00000001", "5us, 0.000005", "1.5 h, 5400", "2 days, 172800", "0 s, 0"})
  void readsLengthsOfTime(String text, BigDecimal seconds) {
    assertThat(duration(text)).isEqualTo(Duration.ofNanos(seconds.movePointRight(9).longValue()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10", "10 parsecs", "-1 s", "1e3 s", "300 years", "1000000 d"})
  void lengthsOfTimeNeedTheirUnit(String text) {
    assertThatThrownBy(() -> duration(text))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("must be a duration with its unit");
  }

  private static long bytes(String text) {
    return TestContext.ofCapacity(1).with("x", text).settings().bytes("x", 0, 0, Long.MAX_VALUE);
  }

  private static Duration duration(String text) {
    return TestContext.ofCapacity(1).with("x", text).settings().duration("x", Duration.ZERO);
  }

  @Test
  void reportsUnreadSettings() {
    var _ = settings.integer("count", 1, 0, 10);
    assertThat(context.unreadSettings())
        .containsExactly("eager", "ghosts", "ratio", "reason", "title", "window");
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
  void timeAdvancesOnlyOnRequest() {
    TestClock clock = context.clock();
    clock.advance(Duration.ofSeconds(2));
    Entry entry = TestEntry.of(1).created(clock.nanos(), clock.nextTick());
    assertThat(entry.lastAccessNanos()).isEqualTo(2_000_000_000L);
    assertThat(entry.lastAccessTick()).isEqualTo(1);
    assertThat(entry.accesses()).isEqualTo(1);
  }

  @Test
  void runsATaskWhenTheTestAsksForIt() {
    List<String> models = new ArrayList<>();
    assertThat(context.runBackground()).isFalse();

    assertThat(context.background().submit(() -> "first", models::add)).isTrue();
    assertThat(context.background().submit(() -> "second", models::add)).isFalse();
    assertThat(models).isEmpty();
    assertThat(context.runBackground()).isTrue();
    assertThat(models).containsExactly("first");
    assertThat(context.runBackground()).isFalse();
  }

  @Test
  void aTaskThatFailsFailsTheTest() {
    List<String> models = new ArrayList<>();
    context
        .background()
        .<String>submit(
            () -> {
              throw new IOException("no samples");
            },
            models::add);

    assertThatThrownBy(context::runBackground)
        .hasMessage("the background task failed: java.io.IOException: no samples");
    assertThat(context.background().submit(() -> "next", models::add)).isTrue();
  }
}
