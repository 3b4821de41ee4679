package dev.ebb.host.config.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import dev.ebb.spi.SettingException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfiguredSettingsTest {

  private static final String WRONG = "x.conf: p.x = '%s' %s";

  @Test
  void whatIsConfiguredIsRead() {
    ConfiguredSettings settings =
        settings("s = text, i = 42, n = 0.5, f = true, d = 10 s, c = days, z = 1e3, b = 64 MiB");

    assertThat(settings.string("s", "")).isEqualTo("text");
    assertThat(settings.integer("i", 0, 0, 100)).isEqualTo(42);
    assertThat(settings.number("n", 0, 0, 1)).isEqualTo(0.5);
    assertThat(settings.number("i", 0, 0, 100)).isEqualTo(42);
    assertThat(settings.flag("f", false)).isTrue();
    assertThat(settings.duration("d", Duration.ZERO)).isEqualTo(Duration.ofSeconds(10));
    assertThat(settings.choice("c", TimeUnit.HOURS)).isEqualTo(TimeUnit.DAYS);
    assertThat(settings.integer("z", 0, 0, 1000)).isEqualTo(1000);
    assertThat(settings.bytes("b", 0, 0, Long.MAX_VALUE)).isEqualTo(64L << 20);
    assertThat(settings.unknown("policy 'p'")).isEmpty();
    assertThat(settings.rejected()).isNull();
  }

  @Test
  void whatIsNotConfiguredHasItsDefault() {
    ConfiguredSettings settings = settings("i = null");

    assertThat(settings.string("s", "text")).isEqualTo("text");
    assertThat(settings.integer("i", 7, 0, 5)).isEqualTo(7);
    assertThat(settings.choice("c", TimeUnit.HOURS)).isEqualTo(TimeUnit.HOURS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.5", "-1", "11", "true", "[1]", "{a=1}"})
  void aWrongWholeNumber(String value) {
    assertThatThrownBy(() -> settings("x = " + value).integer("x", 0, 0, 10))
        .isInstanceOf(SettingException.class)
        .hasMessageStartingWith(
            WRONG, value.startsWith("{") ? "{...}" : value, "must be a whole number");
  }

  @Test
  void aTextIsNoNumber() {
    assertThatThrownBy(() -> settings("x = \"5\"").integer("x", 0, 0, 10))
        .hasMessage(WRONG, "5", "must be a whole number from 0 to 10, written without quotes");
    assertThatThrownBy(() -> settings("x = many").number("x", 0, 0.5, Double.MAX_VALUE))
        .hasMessage(WRONG, "many", "must be a number, at least 0.5");
  }

  @Test
  void aRangeIsReportedAsFarAsItIsOne() {
    assertThatThrownBy(() -> settings("x = -1").integer("x", 0, 1, Long.MAX_VALUE))
        .hasMessage(WRONG, "-1", "must be a whole number, at least 1");
    assertThatThrownBy(() -> settings("x = 2.5").number("x", 0, Double.NEGATIVE_INFINITY, 2))
        .hasMessage(WRONG, "2.5", "must be a number, at most 2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "1", "\"true\""})
  void aWrongFlag(String value) {
    assertThatThrownBy(() -> settings("x = " + value).flag("x", false))
        .hasMessage(WRONG, value.replace("\"", ""), "must be true or false");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10", "soon", "10 parsecs"})
  void aWrongDuration(String value) {
    assertThatThrownBy(() -> settings("x = " + value).duration("x", Duration.ZERO))
        .hasMessage(
            WRONG,
            value,
            "must be a duration with its unit, such as 10 s; units: ns, us, ms, s, min, h, d");
  }

  @Test
  void aNegativeDuration() {
    assertThatThrownBy(() -> settings("x = -1 s").duration("x", Duration.ZERO))
        .hasMessage(WRONG, "-1 s", "must not be negative");
  }

  @ParameterizedTest
  @CsvSource({"500 ms", "61 m"})
  void aDurationOutsideItsRange(String value) {
    assertThatThrownBy(() ->
            settings("x = " + value)
                .duration("x", Duration.ofMinutes(1), Duration.ofSeconds(1), Duration.ofHours(1)))
        .isInstanceOf(SettingException.class)
        .hasMessage(WRONG, value, "must be a duration from 1 s to 1 h");
  }

  @ParameterizedTest
  @ValueSource(strings = {"64", "64 miles", "0.5 B", "-1 MiB"})
  void aWrongSize(String value) {
    assertThatThrownBy(() -> settings("x = " + value).bytes("x", 0, 0, Long.MAX_VALUE))
        .isInstanceOf(SettingException.class)
        .hasMessage(WRONG, value, "must be a size with its unit, such as 16 MiB");
  }

  @Test
  void aSizeOutsideItsRange() {
    assertThatThrownBy(() -> settings("x = 0 B").bytes("x", 1_536, 1_024, 3L << 19))
        .hasMessage(WRONG, "0 B", "must be a size with its unit from 1 KiB to 1536 KiB");
    assertThatThrownBy(() -> settings("x = 1 kB").bytes("x", 1_536, 1_024, Long.MAX_VALUE))
        .hasMessage(WRONG, "1 kB", "must be a size with its unit, at least 1 KiB");
    assertThat(settings("x = 0 B").bytes("x", 1, 0, 1)).isZero();
  }

  @Test
  void whatWasAskedForIsReportedAsAFileWouldSayIt() {
    ConfiguredSettings settings =
        new ConfiguredSettings(
            "p", parse("b = 1.5 MiB, d = 2 s, n = 1"), parse("d = 90 s, n = some"));
    settings.bytes("b", 1_000, 0, Long.MAX_VALUE);
    settings.duration("d", Duration.ofMinutes(1));
    settings.number("n", 0, 0, 9);

    assertThat(settings.asked())
        .containsExactly(
            new SettingValue("b", "1536 KiB", "1000 B"),
            new SettingValue("d", "2 s", "90 s"),
            new SettingValue("n", 1.0, "some"));
  }

  @Test
  void equalValuesAreReportedAlikeHoweverTheyAreWritten() {
    ConfiguredSettings settings =
        new ConfiguredSettings("p", parse("d = 2 min, n = 1"), parse("d = 120 s, n = 1.0"));
    settings.duration("d", Duration.ofHours(1));
    settings.number("n", 0, 0, 9);

    assertThat(settings.asked())
        .containsExactly(new SettingValue("d", "2 min", "2 min"), new SettingValue("n", 1.0, 1.0));
  }

  @Test
  void aWrongChoiceNamesTheNearest() {
    assertThatThrownBy(() -> settings("x = huors").choice("x", TimeUnit.DAYS))
        .hasMessage(
            WRONG,
            "huors",
            "must be one of [nanoseconds, microseconds, milliseconds, seconds, minutes, hours,"
                + " days] (did you mean 'hours'?)");
  }

  @Test
  void theRejectedKeyIsRemembered() {
    ConfiguredSettings settings = settings("x = a, y = 1");
    assertThatThrownBy(() -> settings.integer("x", 0, 0, 10)).isInstanceOf(SettingException.class);

    assertThat(settings.rejected()).isEqualTo("x");
  }

  @Test
  void unrequestedKeysAreUnknown() {
    ConfiguredSettings settings = settings("ageign = none, size = 5");
    settings.string("ageing", "");
    settings.integer("size", 0, 0, 10);

    assertThat(settings.unknown("policy 'p'"))
        .containsExactly(
            "x.conf: unknown setting 'ageign' (did you mean 'ageing'?) for policy 'p'; allowed:"
                + " ageing, size");
  }

  @Test
  void keysOfThePluginsDefaultsAreKnownEvenIfNotAskedFor() {
    Config defaults = parse("size = 5");
    ConfiguredSettings settings =
        new ConfiguredSettings("p", parse("size = 6").withFallback(defaults), defaults);

    assertThat(settings.unknown("policy 'p'")).isEmpty();
    assertThat(settings.integer("size", 0, 0, 10)).isEqualTo(6);
  }

  @Test
  void aStrategyWithoutSettingsSaysSo() {
    assertThat(settings("x = 1").unknown("policy 'p'"))
        .containsExactly("x.conf: unknown setting 'x' for policy 'p'; it has no settings");
  }

  private static ConfiguredSettings settings(String text) {
    return new ConfiguredSettings("p", parse(text), ConfigFactory.empty());
  }

  private static Config parse(String text) {
    return ConfigFactory.parseString(
        text, ConfigParseOptions.defaults().setOriginDescription("x.conf"));
  }
}
