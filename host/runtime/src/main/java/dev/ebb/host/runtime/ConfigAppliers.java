package dev.ebb.host.runtime;

import dev.ebb.host.config.ConfigKeys;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.runtime.SiteConfigAppliers.Applier;
import dev.ebb.host.switching.SwitchCause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Applies each key that can change at run time. */
final class ConfigAppliers {

  /**
   * The suffix of keys that choose the plugin for a name. They are read when plugins are loaded, so
   * they cannot change at run time.
   */
  private static final String PLUGIN = ".plugin";

  private final Map<ConfigKey<?>, Applier> appliers = new ConcurrentHashMap<>();

  ConfigAppliers(Map<ConfigKey<?>, Applier> appliers) {
    appliers.forEach(this::add);
  }

  /** Adds a key, which is declared as one that can change. */
  final void add(ConfigKey<?> key, Applier applier) {
    if (!key.live()) {
      throw new IllegalArgumentException(
          "'%s' has an effect at run time, but is not declared live".formatted(key));
    }
    appliers.put(key, applier);
  }

  /** Returns the keys, and the sections with a wildcard, sorted. */
  List<String> keys() {
    return appliers.keySet().stream().map(ConfigKey::pattern).sorted().toList();
  }

  boolean has(String key) {
    return of(key) != null;
  }

  /** Returns whether a key chooses the plugin for a name in a section that can change. */
  boolean choosesPlugin(String key) {
    return key.endsWith(PLUGIN) && has(key.substring(0, key.length() - PLUGIN.length()));
  }

  private @Nullable Applier of(String key) {
    return key.endsWith(PLUGIN) ? null : ConfigKeys.find(key).map(appliers::get).orElse(null);
  }

  /**
   * Applies changes, each applier once. If one fails, those before it apply the old configuration.
   */
  void apply(Collection<String> keys, EbbConfig next, EbbConfig before, SwitchCause cause) {
    List<Applier> done = new ArrayList<>();
    for (String key : keys) {
      Applier applier = of(key);
      if (applier == null || done.contains(applier)) {
        continue;
      }
      try {
        applier.apply(next, cause);
        done.add(applier);
      } catch (RuntimeException failed) {
        done.reversed().forEach(undo -> undo.apply(before, cause));
        throw failed;
      }
    }
  }
}
