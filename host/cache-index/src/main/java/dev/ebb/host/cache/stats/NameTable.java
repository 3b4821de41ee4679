package dev.ebb.host.cache.stats;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Values by a name that clients choose. The number of names is bounded: further names share one
 * value. Thread-safe.
 */
public final class NameTable<V> {

  /** Names that have a value of their own. */
  public static final int MAX_NAMES = 1_024;

  /** The name of the value that all further names share. */
  public static final String OTHERS = "(others)";

  private final Map<String, V> values = new ConcurrentHashMap<>();
  private final Supplier<V> create;

  /** The supplier makes the value of a new name. */
  public NameTable(Supplier<V> create) {
    this.create = requireNonNull(create, "create is null");
  }

  /** Returns the value of a name, made if there is none, or that of {@link #OTHERS}. */
  public V get(String name) {
    V known = values.get(name);
    if (known != null) {
      return known;
    }
    return values.computeIfAbsent(values.size() < MAX_NAMES ? name : OTHERS, added -> create.get());
  }

  /** Returns a sorted copy of the table, with the values themselves. */
  public Map<String, V> values() {
    return new TreeMap<>(values);
  }
}
