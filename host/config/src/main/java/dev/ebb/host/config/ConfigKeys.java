package dev.ebb.host.config;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.ebb.host.config.key.ConfigKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every key of the configuration. The records of the sections declare their types, and {@code
 * reference.conf} their defaults and meanings. {@code ReferenceTest} compares the two, and the
 * tables of {@code docs/configuration.md} with them.
 */
public final class ConfigKeys {

  public static final String ROOT = "ebb";

  /** Every key, in the order of {@code reference.conf}. */
  public static final List<ConfigKey<?>> ALL = EbbConfig.SECTION.keys();

  private static final Map<String, ConfigKey<?>> BY_PATH =
      ALL.stream().collect(Collectors.toUnmodifiableMap(ConfigKey::path, Function.identity()));

  /** The default values. */
  public static final Config DEFAULTS = ConfigFactory.parseString(defaults());

  private ConfigKeys() {}

  private static String defaults() {
    try (InputStream in = requireNonNull(ConfigKeys.class.getResourceAsStream("reference.conf"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Finds a key.
   *
   * @param path its full path, or a path below it if it is a section
   */
  public static Optional<ConfigKey<?>> find(String path) {
    ConfigKey<?> exact = BY_PATH.get(path);
    int end = path.lastIndexOf('.');
    return exact == null && end > 0
        ? find(path.substring(0, end)).filter(ConfigKey::isSection)
        : Optional.ofNullable(exact);
  }
}
