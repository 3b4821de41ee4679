package dev.ebb.host.devkit;

import dev.ebb.spi.Settings;
import java.time.Duration;

/**
 * The configured settings, above those of a JAR's {@code reference.conf}.
 *
 * @param configured read first, so that it records each active default
 */
record ReferenceSettings(Settings configured, Settings reference) implements Settings {

  @Override
  public String string(String key, String defaultValue) {
    return configured.string(key, reference.string(key, defaultValue));
  }

  @Override
  public long integer(String key, long defaultValue, long min, long max) {
    return configured.integer(key, reference.integer(key, defaultValue, min, max), min, max);
  }

  @Override
  public double number(String key, double defaultValue, double min, double max) {
    return configured.number(key, reference.number(key, defaultValue, min, max), min, max);
  }

  @Override
  public boolean flag(String key, boolean defaultValue) {
    return configured.flag(key, reference.flag(key, defaultValue));
  }

  @Override
  public long bytes(String key, long defaultValue, long min, long max) {
    return configured.bytes(key, reference.bytes(key, defaultValue, min, max), min, max);
  }

  @Override
  public Duration duration(String key, Duration defaultValue, Duration min, Duration max) {
    return configured.duration(key, reference.duration(key, defaultValue, min, max), min, max);
  }

  @Override
  public <E extends Enum<E>> E choice(String key, E defaultValue) {
    return configured.choice(key, reference.choice(key, defaultValue));
  }
}
