package dev.ebb.host.plugin;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The result of a scan, loaded beside the active catalog. {@link PluginHost} accepts or discards
 * it.
 */
public record PluginUpdate(
    PluginCatalog catalog, List<Generation> generations, List<Generation> before, ScanTimes times) {

  public PluginUpdate {
    generations = List.copyOf(generations);
    before = List.copyOf(before);
  }

  /** Returns the copies that were loaded for it. */
  public List<Generation> added() {
    return generations.stream().filter(each -> !before.contains(each)).toList();
  }

  /** Returns the active copies that it would drop. */
  public List<Generation> removed() {
    return before.stream().filter(each -> !generations.contains(each)).toList();
  }

  /**
   * Returns the file of a JAR that it loads or drops.
   *
   * @param sha256 the JAR's hash
   * @return the file in the plugin folder; null if the scan has no such JAR
   */
  public @Nullable Path file(@Nullable String sha256) {
    return Stream.concat(generations.stream(), before.stream())
        .filter(each -> each.sha256().equals(sha256))
        .map(each -> each.jar().file())
        .findFirst()
        .orElse(null);
  }
}
