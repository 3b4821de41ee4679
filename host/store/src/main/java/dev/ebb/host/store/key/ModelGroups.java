package dev.ebb.host.store.key;

import dev.ebb.host.group.ObjectGroups;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The object groups of models, by patterns of their names. The longest pattern that fits counts.
 */
public final class ModelGroups {

  /** No model is known to be hybrid. */
  public static final ModelGroups NONE = new ModelGroups(Map.of());

  private record Named(Glob pattern, ObjectGroups groups) {}

  private final List<Named> models;

  /** Creates groups by patterns as Redis' {@code SCAN} takes them. */
  public ModelGroups(Map<String, ObjectGroups> byPattern) {
    models =
        byPattern.entrySet().stream()
            .sorted(Comparator.comparingInt(model -> -model.getKey().length()))
            .map(model -> new Named(glob(model.getKey()), model.getValue()))
            .toList();
  }

  private static Glob glob(String pattern) {
    return new Glob(pattern.getBytes(StandardCharsets.UTF_8), false);
  }

  /** Returns the groups of a model; one group of full attention if they are not known. */
  public ObjectGroups of(String model) {
    byte[] name = model.getBytes(StandardCharsets.UTF_8);
    return models.stream()
        .filter(each -> each.pattern.matches(name))
        .map(Named::groups)
        .findFirst()
        .orElse(ObjectGroups.ONE);
  }
}
