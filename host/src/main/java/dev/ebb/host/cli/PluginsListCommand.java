package dev.ebb.host.cli;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.plugin.PluginJson;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.wiring.Host;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ebb plugins list}: every JAR in the drop-in folder, and why one is not loaded. */
@Command(
    name = "list",
    description = "Lists each JAR in the drop-in folder: what it offers, or why it is not loaded")
final class PluginsListCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private ConfigOption config;
  @Mixin private JsonOption json;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "The drop-in folder; by default ebb.plugins.folder of the configuration")
  private @Nullable Path folder;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsListCommand() {}

  @Override
  public Integer call() {
    LoadedConfig loaded = config.load();
    EbbConfig read = loaded.orThrow();
    EbbConfig chosen = folder == null ? read : read.withPluginFolder(folder);
    try (Host host = Host.open(new LoadedConfig(chosen, List.of(), loaded.tree()))) {
      print(chosen.plugins().folder(), host.plugins().reports());
    }
    return 0;
  }

  private void print(Path listed, List<PluginReport> reports) {
    PrintWriter out = spec.commandLine().getOut();
    if (json.wanted()) {
      out.println(PluginJson.of(listed, reports));
    } else if (reports.isEmpty()) {
      out.println("no plugins in '" + listed + "'; drop a JAR there");
    } else {
      PluginTable.lines(reports).forEach(out::println);
    }
    out.flush();
  }
}
