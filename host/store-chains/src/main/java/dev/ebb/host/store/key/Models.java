package dev.ebb.host.store.key;

import dev.ebb.host.cache.stats.NameTable;
import dev.ebb.host.group.ObjectGroups;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The models whose keys were seen, with their object groups: those of the configuration, by
 * patterns of names of which the longest that fits counts; else those that a client stated; else
 * those that reads have shown. Thread-safe.
 */
public final class Models {

  private record Named(Glob pattern, ObjectGroups groups) {}

  private final Map<String, Model> known = new ConcurrentHashMap<>();
  private volatile List<Named> configured = List.of();

  public Models(Map<String, ObjectGroups> byPattern) {
    configure(byPattern);
  }

  public void configure(Map<String, ObjectGroups> byPattern) {
    configured =
        byPattern.entrySet().stream()
            .sorted(Comparator.comparingInt(model -> -model.getKey().length()))
            .map(model -> new Named(glob(model.getKey()), model.getValue()))
            .toList();
    known.forEach((name, model) -> model.configure(configured(name)));
  }

  private static Glob glob(String pattern) {
    return new Glob(pattern.getBytes(StandardCharsets.UTF_8), false);
  }

  private @Nullable ObjectGroups configured(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    for (Named each : configured) {
      if (each.pattern.matches(bytes)) {
        return each.groups;
      }
    }
    return null;
  }

  /** Returns a model; beyond {@value NameTable#MAX_NAMES} of them, one that is not kept. */
  Model get(String name) {
    Model model = known.get(name);
    if (model != null) {
      return model;
    }
    Model made = new Model();
    made.configure(configured(name));
    if (known.size() >= NameTable.MAX_NAMES) {
      return made;
    }
    Model other = known.putIfAbsent(name, made);
    return other == null ? made : other;
  }

  public Map<String, Model> all() {
    return new TreeMap<>(known);
  }
}
