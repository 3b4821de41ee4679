package dev.ebb.host.config.hocon;

import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One value that overrides the file: an option of the command line, or a change while the process
 * runs.
 *
 * @param key its full path: {@code ebb.server.port}
 * @param value a text, a number, a flag or a list, or one of these with an origin of its own; null
 *     to reset it
 * @param source its origin, for messages: {@code --port}
 */
public record ConfigOverride(String key, @Nullable Object value, String source) {

  /** The origin of values that an operator has changed; messages omit it. */
  public static final String ADMIN = "admin";

  public ConfigValue configValue() {
    return ConfigValueFactory.fromAnyRef(value, source);
  }

  /**
   * Returns the overrides of a value, or of each value of a section; other values of the section
   * stay.
   */
  public static List<ConfigOverride> each(String key, Object value, String source) {
    return flat(key, value, source).toList();
  }

  private static Stream<ConfigOverride> flat(String key, Object value, String source) {
    return value instanceof Map<?, ?> section
        ? new TreeMap<Object, Object>(section)
            .entrySet().stream()
                .flatMap(inner ->
                    flat(
                        key + "." + ConfigUtil.joinPath(String.valueOf(inner.getKey())),
                        inner.getValue(),
                        source))
        : Stream.of(new ConfigOverride(key, value, source));
  }
}
