package dev.ebb.host.http;

import dev.ebb.host.values.Getters;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Creates a document from other objects. A component that is not set has the value of the method of
 * its name, of the first object that has one; without any it is null. A constant becomes a word,
 * and a time text.
 */
public final class View<R extends Record> {

  private final Class<R> type;
  private final List<Object> sources;
  private final Map<String, @Nullable Object> own = new HashMap<>();

  private View(Class<R> type, Object... sources) {
    this.type = type;
    this.sources = List.of(sources);
  }

  public static <R extends Record> View<R> of(Class<R> type, Object... sources) {
    return new View<>(type, sources);
  }

  public View<R> with(String component, @Nullable Object value) {
    own.put(component, value);
    return this;
  }

  /**
   * Returns the document.
   *
   * @throws IllegalArgumentException if there is no component of a name, or no value for a
   *     primitive
   */
  public R get() {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class[]::new);
    @Nullable Object[] values = new Object[components.length];
    int set = 0;
    for (int i = 0; i < components.length; i++) {
      String name = components[i].getName();
      boolean isOwn = own.containsKey(name);
      set += isOwn ? 1 : 0;
      values[i] = converted(isOwn ? own.get(name) : found(name), types[i]);
    }
    if (set < own.size()) {
      throw new IllegalArgumentException("%s has not all of %s".formatted(type, own.keySet()));
    }
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalArgumentException(type + " from " + Arrays.toString(values), failed);
    }
  }

  private @Nullable Object found(String name) {
    for (Object source : sources) {
      if (Getters.has(source, name)) {
        return Getters.value(source, List.of(name));
      }
    }
    return null;
  }

  private static @Nullable Object converted(@Nullable Object value, Class<?> to) {
    return switch (value) {
      case Enum<?> constant when to == String.class -> Json.word(constant);
      case Instant time -> time.truncatedTo(ChronoUnit.MILLIS).toString();
      case Path path -> path.toString();
      case Double number when to == Double.class -> Json.known(number);
      case null, default -> value;
    };
  }
}
