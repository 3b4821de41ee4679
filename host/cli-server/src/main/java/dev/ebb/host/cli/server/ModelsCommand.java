package dev.ebb.host.cli.server;

import dev.ebb.host.admin.stats.ModelRoutes;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.text.Columns;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The group {@code ebb models}. */
@Command(
    name = "models",
    description =
        "Shows the object groups of the models that a running Ebb serves, and states them")
public final class ModelsCommand extends CommandGroup {

  private static final int MOST_TOKENS = 1 << 20;

  private static final Columns<ModelRoutes.Model> MODELS =
      Columns.of(
          ModelRoutes.Model.class,
          """
          MODEL | {name}
          GROUPS | {groups}
          SOURCE | {source}
          >OBJECTS | {entries:count}
          >SIZE | {usedBytes:bytes}
          """);

  ModelsCommand() {
    super("list", "add");
  }

  @Command(
      description = "Lists models by the names in keys, their object groups, and who said these",
      footer = {"  ebb models list", "  ebb models list --json"})
  int list(@Mixin ServerOptions server) {
    return server.show(
        client -> client.get("/api/v1/models", ModelRoutes.Models.class), ModelsCommand::lines);
  }

  private static List<String> lines(ModelRoutes.Models models) {
    if (models.models().isEmpty()) {
      return List.of("no key has named a model yet");
    }
    return MODELS.lines(models.models());
  }

  @Command(
      description =
          "Reads the object groups of a model from its config.json, and sets ebb.server.models of a"
              + " running Ebb; a restart reverts that, as 'ebb config set' says",
      footer = {
        "  ebb models add Qwen3.5-9B/config.json --name Qwen/Qwen3.5-9B",
        "  ebb models add gpt-oss-20b --name 'openai/gpt-oss-*' --chunk 256"
      })
  int add(
      @Mixin ServerOptions server,
      @Mixin ConfigChange change,
      @Parameters(paramLabel = "FILE", description = "A config.json, or the folder with it")
          Path file,
      @Option(
              names = "--name",
              paramLabel = "NAME",
              description =
                  "The model's name in keys, or a pattern of names; by default that in the file")
          @Nullable String name,
      @Option(
              names = "--chunk",
              paramLabel = "TOKENS",
              defaultValue = "256",
              description = "The tokens of a chunk: LMCache's chunk_size; by default 256")
          int chunk) {
    server.between("--chunk", chunk, 1, MOST_TOKENS);
    ModelFile model = ModelFile.read(file);
    ObjectGroups groups = model.groups(chunk);
    String named = name == null ? model.name() : name;
    if (named != null && (named.isBlank() || named.chars().anyMatch(Character::isISOControl))) {
      throw server.wrong("--name: '%s' is no name of a model".formatted(named));
    }
    if (named == null) {
      throw server.wrong("--name is missing: '%s' does not tell the model's name".formatted(file));
    }
    return change.send(
        server, Map.of("ebb.server.models", Map.of(named, Map.of("groups", groups.toString()))));
  }
}
