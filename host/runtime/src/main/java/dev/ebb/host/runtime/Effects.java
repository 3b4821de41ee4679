package dev.ebb.host.runtime;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.swap.SwapCause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Maps each key that can change at run time to its effect. */
final class Effects {

  /** The wildcard that follows a section name when all keys of the section can change. */
  private static final String ALL = "*";

  /**
   * The suffix of keys that choose the plugin for a name. They are read when plugins are loaded, so
   * they cannot change at run time.
   */
  private static final String PLUGIN = ".plugin";

  private final Map<String, BiConsumer<EbbConfig, SwapCause>> effects;

  /**
   * Creates the map.
   *
   * @param effects by full key, or by the name of a section with {@code .*}
   */
  Effects(Map<String, BiConsumer<EbbConfig, SwapCause>> effects) {
    this.effects = new TreeMap<>(effects);
  }

  Set<String> keys() {
    return effects.keySet();
  }

  boolean has(String key) {
    return of(key) != null;
  }

  /** Returns whether a key chooses the plugin for a name in a section that can change. */
  boolean choosesPlugin(String key) {
    return key.endsWith(PLUGIN) && has(key.substring(0, key.length() - PLUGIN.length()));
  }

  private @Nullable BiConsumer<EbbConfig, SwapCause> of(String key) {
    BiConsumer<EbbConfig, SwapCause> exact = effects.get(key);
    if (exact != null || key.endsWith(PLUGIN)) {
      return exact;
    }
    return effects.entrySet().stream()
        .filter(each -> each.getKey().endsWith(ALL) && key.startsWith(section(each.getKey())))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  private static String section(String name) {
    return name.substring(0, name.length() - ALL.length());
  }

  /**
   * Applies changes, each effect once. If an effect fails, the effects before it are rolled back.
   */
  void apply(Collection<String> keys, EbbConfig next, EbbConfig before, SwapCause cause) {
    List<BiConsumer<EbbConfig, SwapCause>> done = new ArrayList<>();
    for (String key : keys) {
      BiConsumer<EbbConfig, SwapCause> effect = of(key);
      if (effect == null || done.contains(effect)) {
        continue;
      }
      try {
        effect.accept(next, cause);
        done.add(effect);
      } catch (RuntimeException failed) {
        done.reversed().forEach(undo -> undo.accept(before, cause));
        throw failed;
      }
    }
  }
}
