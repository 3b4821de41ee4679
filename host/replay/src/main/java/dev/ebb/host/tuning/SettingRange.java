package dev.ebb.host.tuning;

import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.TimeSpan;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The values of one setting that are tried.
 *
 * @param key its key under the policy's name
 * @param values as written in a configuration, at least one
 */
public record SettingRange(String key, List<String> values) {

  private static final List<BigDecimal> FACTORS =
      Stream.of("0.25", "0.5", "1", "2", "4").map(BigDecimal::new).toList();

  public SettingRange {
    values = values.stream().distinct().toList();
    if (key.isEmpty() || values.isEmpty()) {
      throw new IllegalArgumentException("'%s' with the values %s".formatted(key, values));
    }
  }

  /**
   * Parses a range.
   *
   * @param text for example {@code bonus=10,60,600}
   * @throws UserError if its syntax is wrong
   */
  public static SettingRange parse(String text) {
    int equals = text.indexOf('=');
    String key = equals < 0 ? "" : text.substring(0, equals).strip();
    List<String> values =
        Stream.of(text.substring(equals + 1).split(",", -1)).map(String::strip).toList();
    if (key.isEmpty() || values.contains("")) {
      throw new UserError(
          "--set: '%s' must be a setting and its values, such as bonus=10,60,600".formatted(text));
    }
    return new SettingRange(key, values);
  }

  /**
   * Returns a range around the current value of a setting: both values of a flag, all of a choice,
   * and a quarter to four times a number, a duration or a size.
   *
   * @param choices the allowed values if it is a choice, else none
   * @return empty if there is no such range: for 0, for a text and for hidden values
   */
  public static Optional<SettingRange> around(SettingValue setting, List<String> choices) {
    List<String> values =
        !choices.isEmpty()
            ? choices
            : switch (setting.value()) {
              case Boolean flag -> List.of("true", "false");
              case Number number -> scaled(number);
              default -> scaled(setting.value().toString());
            };
    return values.size() < 2
        ? Optional.empty()
        : Optional.of(new SettingRange(setting.key(), values));
  }

  /** Returns whether a value of a range is that of the setting. */
  public static boolean isSame(String value, Object setting) {
    return setting instanceof Number number
        ? new BigDecimal(value).compareTo(new BigDecimal(number.toString())) == 0
        : value.equals(setting.toString());
  }

  private static List<String> scaled(Number number) {
    boolean whole = number instanceof Long || number instanceof Integer;
    return scaled(
        new BigDecimal(number.toString()),
        value ->
            whole
                ? value.setScale(0, RoundingMode.HALF_UP).toPlainString()
                : value.stripTrailingZeros().toPlainString());
  }

  private static List<String> scaled(String text) {
    Optional<Duration> time = TimeSpan.parse(text);
    if (time.isPresent()) {
      return scaled(
          BigDecimal.valueOf(time.get().toNanos()),
          value -> TimeSpan.exact(Duration.ofNanos(value.longValue())));
    }
    OptionalLong bytes = ByteSize.parse(text);
    return bytes.isEmpty()
        ? List.of()
        : scaled(BigDecimal.valueOf(bytes.getAsLong()), value -> ByteSize.exact(value.longValue()));
  }

  private static List<String> scaled(BigDecimal value, Function<BigDecimal, String> text) {
    return FACTORS.stream().map(value::multiply).map(text).distinct().toList();
  }
}
