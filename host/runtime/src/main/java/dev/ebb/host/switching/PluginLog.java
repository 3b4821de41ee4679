package dev.ebb.host.switching;

import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.PluginUpdate;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs changes of the loaded JARs. A JAR that is refused, or that serves with a problem, is logged
 * once and not again on every scan, unless its file or the reason changes.
 */
final class PluginLog {

  private static final Logger LOG = LoggerFactory.getLogger(PluginLog.class);

  private Set<PluginReport> logged = Set.of();

  void opened(PluginCatalog catalog) {
    problems(catalog.reports(), Set.of());
  }

  /**
   * Logs the changes of an accepted scan.
   *
   * @param failed hashes of the JARs whose failure has been logged already
   */
  void accepted(PluginUpdate update, Collection<String> failed) {
    update
        .removed()
        .forEach(each ->
            LOG.info(
                "plugin unloaded id={} version={} file={}",
                each.id(),
                each.version(),
                shown(update.file(each.sha256()))));
    update
        .added()
        .forEach(each ->
            LOG.info(
                "plugin loaded id={} version={} sha256={} file={}",
                each.id(),
                each.version(),
                each.sha256(),
                shown(update.file(each.sha256()))));
    problems(update.catalog().reports(), failed);
  }

  /** Logs refused JARs again on the next scan, because an operator has asked for it. */
  void repeat() {
    logged = Set.of();
  }

  private void problems(List<PluginReport> reports, Collection<String> failed) {
    Set<PluginReport> now = new HashSet<>();
    for (PluginReport report : reports) {
      if (report.state() == PluginState.COPYING || report.reason().isEmpty()) {
        continue;
      }
      now.add(report);
      if (!logged.contains(report) && !failed.contains(String.valueOf(report.sha256()))) {
        problem(report);
      }
    }
    logged = now;
  }

  private static void problem(PluginReport report) {
    String file = shown(report.file());
    switch (report.state()) {
      case REFUSED ->
          LOG.warn(
              "plugin refused file={} sha256={} reason=\"{}\"",
              file,
              report.sha256(),
              report.reason());
      case LOADED -> LOG.warn("plugin has a problem file={} reason=\"{}\"", file, report.reason());
      default -> LOG.info("plugin passed over file={} reason=\"{}\"", file, report.reason());
    }
  }

  private static String shown(@Nullable Path file) {
    return UntrustedText.line(String.valueOf(file));
  }
}
