package dev.ebb.host.authoring;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The JAR and those installed, loaded by the very loader that production uses. */
final class Trial implements AutoCloseable {

  private final PluginHost host;
  private final PluginReport report;

  private Trial(PluginHost host, PluginReport report) {
    this.host = host;
    this.report = report;
  }

  static Trial open(EbbConfig config, TrialFolder folder) {
    PluginHost host = new PluginHost(config.withPluginFolder(folder.folder()));
    host.open();
    PluginReport report =
        host.catalog().reports().stream()
            .filter(each -> each.file().getFileName().equals(folder.jar().getFileName()))
            .findFirst()
            .orElseThrow();
    return new Trial(host, report);
  }

  PluginCatalog catalog() {
    return host.catalog();
  }

  /** What the loader says of the JAR. */
  PluginReport report() {
    return report;
  }

  /** What the JAR offers and nobody else does. */
  <P> List<Strategy<P>> strategies(StrategyKind<P> kind) {
    List<Strategy<P>> own = new ArrayList<>();
    for (String name : catalog().names(kind)) {
      Strategy<P> strategy = catalog().strategy(kind, name);
      if (Objects.equals(strategy.pluginId(), report.id())) {
        own.add(strategy);
      }
    }
    return own;
  }

  @Override
  public void close() {
    host.close();
  }
}
