package dev.ebb.host.cache.stats;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Values by a name that clients choose. The number of names is bounded: further names share one
 * value. Thread-safe.
 *
 * @param <V> the type of the values
 */
public final class NameTable<V> {

  /** Names that have a value of their own. */
  public static final int MAX_NAMES = 1_024;

  /** The name of the value that all further names share. */
  public static final String OTHERS = "(others)";

  private final Map<String, V> values = new ConcurrentHashMap<>();
  private final Supplier<V> create;

  /**
   * Creates an empty table.
   *
   * @param create makes the value of a new name
   */
  public NameTable(Supplier<V> create) {
    this.create = requireNonNull(create, "create is null");
  }

  /**
   * Returns the value of a name, and makes it if there is none.
   *
   * @return its own value, or that of {@link #OTHERS}
   */
  public V get(String name) {
    V known = values.get(name);
    if (known != null) {
      return known;
    }
    return values.computeIfAbsent(values.size() < MAX_NAMES ? name : OTHERS, added -> create.get());
  }

  /**
   * Returns the values by name.
   *
   * @return a copy of the table in the order of the names, with the values themselves
   */
  public Map<String, V> values() {
    return new TreeMap<>(values);
  }
}
