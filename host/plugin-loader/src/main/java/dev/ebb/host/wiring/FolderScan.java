package dev.ebb.host.wiring;

import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.StrategyKind;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The names in a plugin folder.
 *
 * @param names the names that can be chosen, by {@link StrategyKind#plural}
 * @param ambiguous a message for each name that several plugins offer
 */
record FolderScan(
    List<PluginReport> reports, Map<String, List<String>> names, Set<String> ambiguous) {

  /** Loads every JAR of a configuration's folder, and unloads it again. */
  static FolderScan at(LoadedConfig config) {
    try (Host host = Host.open(config)) {
      Set<String> ambiguous = new LinkedHashSet<>();
      StrategyKind.ALL.forEach(kind -> ambiguous.addAll(host.plugins().undecided(kind).values()));
      return new FolderScan(
          host.plugins().reports(),
          StrategyKind.ALL.stream()
              .collect(Collectors.toMap(StrategyKind::plural, host.plugins()::names)),
          ambiguous);
    }
  }

  boolean has(StrategyKind<?> kind, String name) {
    return names.getOrDefault(kind.plural(), List.of()).contains(name);
  }
}
