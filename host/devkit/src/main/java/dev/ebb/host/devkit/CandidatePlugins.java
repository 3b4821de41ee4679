package dev.ebb.host.devkit;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** The JAR and the installed ones, loaded by the production loader. */
final class CandidatePlugins implements AutoCloseable {

  private final PluginHost host;
  private final PluginReport report;

  private CandidatePlugins(PluginHost host, PluginReport report) {
    this.host = host;
    this.report = report;
  }

  static CandidatePlugins open(EbbConfig config, CandidateFolder folder) {
    PluginHost host = new PluginHost(config.withPluginFolder(folder.folder()));
    host.open();
    PluginReport report =
        host.catalog().reports().stream()
            .filter(each -> each.file().getFileName().equals(folder.jar().getFileName()))
            .findFirst()
            .orElseThrow();
    return new CandidatePlugins(host, report);
  }

  PluginCatalog catalog() {
    return host.catalog();
  }

  PluginReport report() {
    return report;
  }

  /** Returns the strategies of the JAR, even if others offer the same names. */
  <P> List<Strategy<P>> strategies(StrategyKind<P> kind) {
    String id = report.id();
    return id == null ? List.of() : catalog().offeredBy(kind, id);
  }

  /** Returns the installed plugins that share a name with the JAR, by their file names there. */
  List<String> rivals() {
    List<String> rivals = new ArrayList<>();
    for (PluginReport other : catalog().reports()) {
      boolean clashes =
          report.strategies().entrySet().stream()
              .anyMatch(own ->
                  !Collections.disjoint(
                      own.getValue(), other.strategies().getOrDefault(own.getKey(), List.of())));
      if (clashes && !Objects.equals(other.id(), report.id())) {
        rivals.add(CandidateFolder.installedName(other.file()));
      }
    }
    return rivals;
  }

  @Override
  public void close() {
    host.close();
  }
}
