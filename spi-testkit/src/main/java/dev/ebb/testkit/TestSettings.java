package dev.ebb.testkit;

import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Settings held as text, as in a configuration file. */
final class TestSettings implements Settings {

  private final Map<String, String> values = new TreeMap<>();
  private final Set<String> read = new HashSet<>();
  private boolean sealed;

  void put(String key, String value) {
    values.put(key, value);
  }

  void seal() {
    sealed = true;
  }

  Set<String> unread() {
    Set<String> unread = new TreeSet<>(values.keySet());
    unread.removeAll(read);
    return unread;
  }

  @Override
  public String string(String key, String defaultValue) {
    return look(key, defaultValue, "a text", text -> text);
  }

  @Override
  public long integer(String key, long defaultValue, long min, long max) {
    String allowed = "a whole number from %d to %d".formatted(min, max);
    long value = look(key, defaultValue, allowed, Long::valueOf);
    return within(value >= min && value <= max, key, value, allowed);
  }

  @Override
  public double number(String key, double defaultValue, double min, double max) {
    String allowed = "a number from %s to %s".formatted(min, max);
    double value = look(key, defaultValue, allowed, Double::valueOf);
    return within(value >= min && value <= max, key, value, allowed);
  }

  @Override
  public boolean flag(String key, boolean defaultValue) {
    return look(key, defaultValue, "true or false", TestSettings::parseFlag);
  }

  @Override
  public long bytes(String key, long defaultValue, long min, long max) {
    String allowed =
        "a size with its unit, such as '16 MiB', of %d to %d bytes".formatted(min, max);
    long value = look(key, defaultValue, allowed, Units::bytes);
    return within(value >= min && value <= max, key, value, allowed);
  }

  @Override
  public Duration duration(String key, Duration defaultValue, Duration min, Duration max) {
    String allowed =
        "a duration with its unit, such as '10 s', from %s to %s"
            .formatted(Units.text(min), Units.text(max));
    Duration value = look(key, defaultValue, allowed, Units::duration);
    return within(value.compareTo(min) >= 0 && value.compareTo(max) <= 0, key, value, allowed);
  }

  @Override
  public <E extends Enum<E>> E choice(String key, E defaultValue) {
    E[] constants = defaultValue.getDeclaringClass().getEnumConstants();
    String allowed =
        Stream.of(constants)
            .map(TestSettings::word)
            .collect(Collectors.joining(", ", "one of ", ""));
    return look(
        key,
        defaultValue,
        allowed,
        text ->
            Stream.of(constants).filter(constant -> word(constant).equals(text)).findFirst().get());
  }

  private <T> T look(String key, T defaultValue, String allowed, Function<String, T> parse) {
    if (sealed) {
      throw new Violation(Rule.SETTINGS, "'%s' was read after create()".formatted(key));
    }
    read.add(key);
    String text = values.get(key);
    if (text == null) {
      return defaultValue;
    }
    try {
      return parse.apply(text);
    } catch (RuntimeException e) {
      throw wrong(key, text, allowed);
    }
  }

  private static <T> Object shown(T value) {
    return value instanceof Duration duration ? Units.text(duration) : value;
  }

  private <T> T within(boolean inside, String key, T value, String allowed) {
    if (inside) {
      return value;
    }
    if (values.containsKey(key)) {
      throw wrong(key, shown(value), allowed);
    }
    throw new Violation(
        Rule.SETTINGS, "the default '%s' of '%s' is not %s".formatted(shown(value), key, allowed));
  }

  private static SettingException wrong(String key, Object value, String allowed) {
    return new SettingException("'%s' = '%s': must be %s".formatted(key, value, allowed));
  }

  private static boolean parseFlag(String text) {
    return switch (text) {
      case "true", "yes", "on" -> true;
      case "false", "no", "off" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
