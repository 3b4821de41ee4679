package dev.ebb.host.config.key;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys of a section, whose values are the components of its record, in their order. */
public final class Section<R extends Record> {

  private final Class<R> type;
  private final String path;
  private final List<ConfigKey<?>> keys = new ArrayList<>();
  private final List<Function<ConfigReader, @Nullable Object>> components = new ArrayList<>();

  /**
   * Creates a section without keys.
   *
   * @param path the start of its keys below {@code ebb}
   */
  public Section(Class<R> type, String path) {
    this.type = type;
    this.path = path;
  }

  /** Adds a component: the value of a key that needs a restart. */
  public Section<R> fixed(String name, ValueType<?> value) {
    return key(ConfigKey.fixed(path + "." + name, value));
  }

  /** Adds a component: the value of a key. */
  public Section<R> key(ConfigKey<?> key) {
    Class<?> component = type.getRecordComponents()[components.size()].getType();
    return read(
        reader ->
            component == Choice.class
                ? new Choice(String.valueOf(reader.get(key)), reader.where(key))
                : reader.component(key),
        key);
  }

  /** Adds a component: the record of another section. */
  public Section<R> section(Section<?> inner) {
    return read(inner::read, inner.keys.toArray(ConfigKey[]::new));
  }

  /** Adds a component, and the keys that it is read from. */
  public Section<R> read(Function<ConfigReader, @Nullable Object> component, ConfigKey<?>... from) {
    components.add(component);
    keys.addAll(List.of(from));
    return this;
  }

  /** Returns all keys, in their order. */
  public List<ConfigKey<?>> keys() {
    return List.copyOf(keys);
  }

  public R read(ConfigReader reader) {
    @Nullable Object[] values = new Object[components.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = components.get(i).apply(reader);
    }
    try {
      Constructor<R> constructor =
          type.getDeclaredConstructor(
              Arrays.stream(type.getRecordComponents())
                  .map(RecordComponent::getType)
                  .toArray(Class[]::new));
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException wrongKeys) {
      throw new IllegalStateException("the keys of " + type + " do not fit", wrongKeys);
    }
  }
}
