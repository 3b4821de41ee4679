package dev.ebb.host.plugin;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The report on one JAR in the plugin folder. It holds text only, nothing of the plugin.
 *
 * @param file the dropped file
 * @param id the plugin's id; null if it has none
 * @param version the plugin's version; null if it has none
 * @param sha256 of the file, in hexadecimal; null if it could not be read
 * @param strategies the names it offers, by {@link StrategyKind#plural}
 * @param reason why it was refused or passed over, or a note; may be empty
 */
public record PluginReport(
    Path file,
    @Nullable String id,
    @Nullable String version,
    @Nullable String sha256,
    PluginState state,
    Map<String, List<String>> strategies,
    String reason) {

  /** Returns the report on a generation that is kept though its file is gone. */
  static PluginReport of(Generation kept, String why) {
    return new PluginReport(
            kept.jar().file(),
            kept.id(),
            kept.version(),
            kept.sha256(),
            PluginState.LOADED,
            Map.of(),
            why)
        .offering(kept.strategies());
  }

  static PluginReport of(Path file) {
    return new PluginReport(file, null, null, null, PluginState.REFUSED, Map.of(), "");
  }

  PluginReport hashed(String hash) {
    return new PluginReport(file, id, version, hash, state, strategies, reason);
  }

  PluginReport identified(@Nullable String itsId, @Nullable String itsVersion) {
    return new PluginReport(file, itsId, itsVersion, sha256, state, strategies, reason);
  }

  /**
   * Returns the same with another note.
   *
   * @param note follows the reason
   * @return a copy
   */
  public PluginReport noting(String note) {
    return as(state, reason.isEmpty() ? note : reason + "; " + note);
  }

  PluginReport as(PluginState newState, String why) {
    return new PluginReport(file, id, version, sha256, newState, strategies, why);
  }

  PluginReport offering(List<Strategy<?>> offered) {
    Map<String, List<String>> names = new TreeMap<>();
    for (StrategyKind<?> kind : StrategyKind.ALL) {
      List<String> ofKind =
          offered.stream().filter(s -> s.kind() == kind).map(Strategy::name).sorted().toList();
      if (!ofKind.isEmpty()) {
        names.put(kind.plural(), ofKind);
      }
    }
    return new PluginReport(file, id, version, sha256, state, Map.copyOf(names), reason);
  }
}
