package dev.ebb.host.admin.policy;

import dev.ebb.host.http.View;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.spi.SpiVersion;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The plugin folder, the version of the SPI, and each JAR. */
public record PluginsDocument(String folder, String spi, List<Plugin> plugins) {

  /** A JAR, as described by {@link PluginReport}. */
  public record Plugin(
      String file,
      @Nullable String id,
      @Nullable String version,
      @Nullable String sha256,
      String state,
      SortedMap<String, List<String>> strategies,
      String reason) {

    private static Plugin of(PluginReport report) {
      return View.of(Plugin.class, report)
          .with("state", report.state().name().toLowerCase(Locale.ROOT))
          .with("strategies", new TreeMap<>(report.strategies()))
          .get();
    }
  }

  public static PluginsDocument of(Path folder, List<PluginReport> reports) {
    return new PluginsDocument(
        folder.toString(), SpiVersion.current(), reports.stream().map(Plugin::of).toList());
  }
}
