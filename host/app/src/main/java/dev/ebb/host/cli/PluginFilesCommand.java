package dev.ebb.host.cli;

import dev.ebb.host.admin.PluginsDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.wiring.PluginFiles;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that changes the files of the drop-in folder on this machine. */
abstract class PluginFilesCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;
  @Mixin private ServerOption server;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "The drop-in folder; by default ebb.plugins.folder of the configuration")
  private @Nullable Path folder;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginFilesCommand() {}

  abstract PluginFiles.Change change(PluginFiles files);

  /** Returns how a running Ebb with this folder handled the change, a line each. */
  abstract List<String> made(PluginFiles.Change change, AdminClient client);

  @Override
  public final Integer call() {
    LoadedConfig loaded = server.load();
    EbbConfig read = loaded.orThrow();
    EbbConfig chosen = folder == null ? read : read.withPluginFolder(folder);
    PluginFiles.Change change =
        change(new PluginFiles(new LoadedConfig(chosen, List.of(), loaded.tree())));
    try (AdminClient client = server.open()) {
      if (isServed(chosen.plugins().folder(), client)) {
        change = change.found(made(change, client));
      }
    } catch (UserError noAnswer) {
      // Without a named server, only the folder is reported.
      if (server.isGiven()) {
        throw noAnswer;
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json.wanted()) {
      out.println(Json.text(change));
    } else {
      Stream.concat(change.said().stream(), change.found().stream())
          .forEach(line -> out.println(KeyText.printable(line)));
    }
    out.flush();
    return 0;
  }

  private static boolean isServed(Path folder, AdminClient client) {
    String served = client.get("/api/v1/plugins", PluginsDocument.class).document().folder();
    return folder.toAbsolutePath().normalize().equals(Path.of(served).toAbsolutePath().normalize());
  }
}
