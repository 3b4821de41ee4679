package dev.ebb.host.runtime;

import dev.ebb.host.config.ConfigKey;
import dev.ebb.host.config.ConfigKeys;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.runtime.SiteEffects.Effect;
import dev.ebb.host.swap.SwapCause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Maps each key that can change at run time to its effect. */
final class Effects {

  /**
   * The suffix of keys that choose the plugin for a name. They are read when plugins are loaded, so
   * they cannot change at run time.
   */
  private static final String PLUGIN = ".plugin";

  private final Map<ConfigKey<?>, Effect> effects;

  Effects(Map<ConfigKey<?>, Effect> effects) {
    this.effects = Map.copyOf(effects);
    effects.keySet().stream()
        .filter(key -> !key.live())
        .forEach(key -> {
          throw new IllegalArgumentException(
              "'%s' has an effect at run time, but is not declared live".formatted(key));
        });
  }

  /** Returns the keys, and the sections with a wildcard, sorted. */
  List<String> keys() {
    return effects.keySet().stream().map(ConfigKey::pattern).sorted().toList();
  }

  boolean has(String key) {
    return of(key) != null;
  }

  /** Returns whether a key chooses the plugin for a name in a section that can change. */
  boolean choosesPlugin(String key) {
    return key.endsWith(PLUGIN) && has(key.substring(0, key.length() - PLUGIN.length()));
  }

  private @Nullable Effect of(String key) {
    return key.endsWith(PLUGIN) ? null : ConfigKeys.find(key).map(effects::get).orElse(null);
  }

  /**
   * Applies changes, each effect once. If an effect fails, the effects before it are rolled back.
   */
  void apply(Collection<String> keys, EbbConfig next, EbbConfig before, SwapCause cause) {
    List<Effect> done = new ArrayList<>();
    for (String key : keys) {
      Effect effect = of(key);
      if (effect == null || done.contains(effect)) {
        continue;
      }
      try {
        effect.apply(next, cause);
        done.add(effect);
      } catch (RuntimeException failed) {
        done.reversed().forEach(undo -> undo.apply(before, cause));
        throw failed;
      }
    }
  }
}
