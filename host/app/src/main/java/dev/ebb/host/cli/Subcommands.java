package dev.ebb.host.cli;

import dev.ebb.host.cli.bench.BenchCommand;
import dev.ebb.host.cli.plugins.PluginsCommand;
import dev.ebb.host.cli.policy.PolicyCommand;
import dev.ebb.host.cli.policy.RolloutCommand;
import dev.ebb.host.cli.pool.PoolCommand;
import dev.ebb.host.cli.replay.FitCommand;
import dev.ebb.host.cli.replay.ReplayCommand;
import dev.ebb.host.cli.replay.TokensCommand;
import dev.ebb.host.cli.replay.TuneCommand;
import dev.ebb.host.cli.segment.SegmentCommand;
import dev.ebb.host.cli.serve.ConfigCommand;
import dev.ebb.host.cli.serve.ServeCommand;
import dev.ebb.host.cli.serve.TiersCommand;
import dev.ebb.host.cli.server.ClusterCommand;
import dev.ebb.host.cli.server.EntryCommands;
import dev.ebb.host.cli.server.EvictCommand;
import dev.ebb.host.cli.server.EvictionCommand;
import dev.ebb.host.cli.server.LogsCommand;
import dev.ebb.host.cli.server.ModelsCommand;
import dev.ebb.host.cli.server.RecordCommand;
import dev.ebb.host.cli.server.StatsCommand;
import dev.ebb.host.cli.server.TopCommand;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;

/**
 * The subcommands of {@code ebb}. One that the command line names is loaded alone: loading all,
 * with their options, takes most of the CPU time of a short command.
 */
final class Subcommands {

  /** The names, in the order of the shell completion. */
  private static final List<String> NAMES =
      List.of(
          ("serve replay tune fit record bench stats top eviction policy rollout keys explain pin"
                  + " unpin pins evict logs pool models cluster segment tiers tokens plugins config"
                  + " users completion help version")
              .split(" ", -1));

  /** Commands that list or describe all commands. */
  private static final Set<String> OF_ALL = Set.of(CompletionCommand.NAME, HelpCommand.NAME);

  private static final Set<String> VERSION = Set.of("-V", "--version");

  private Subcommands() {}

  static List<String> names() {
    return NAMES;
  }

  /** Returns whether the arguments may need any command, an optional one too. */
  static boolean areAllNeeded(String... args) {
    return args.length == 0
        || OF_ALL.contains(args[0])
        || !(NAMES.contains(args[0]) || VERSION.contains(args[0]));
  }

  static void addTo(CommandLine root, String... args) {
    NAMES.stream()
        .filter(name -> areAllNeeded(args) || name.equals(args[0]))
        .forEach(name -> root.addSubcommand(command(name)));
  }

  private static Object command(String name) {
    return switch (name) {
      case "serve" -> ServeCommand.class;
      case "replay" -> ReplayCommand.class;
      case "tune" -> TuneCommand.class;
      case "fit" -> FitCommand.class;
      case "record" -> RecordCommand.class;
      case "bench" -> BenchCommand.class;
      case "stats" -> StatsCommand.class;
      case "top" -> TopCommand.class;
      case "eviction" -> EvictionCommand.class;
      case "policy" -> PolicyCommand.class;
      case "rollout" -> RolloutCommand.class;
      case "evict" -> EvictCommand.class;
      case "logs" -> LogsCommand.class;
      case "pool" -> PoolCommand.class;
      case "cluster" -> ClusterCommand.class;
      case "segment" -> SegmentCommand.class;
      case "tiers" -> TiersCommand.class;
      case "tokens" -> TokensCommand.class;
      case "plugins" -> PluginsCommand.class;
      case "models" -> ModelsCommand.class;
      case "config" -> ConfigCommand.class;
      case "users" -> UsersCommand.class;
      case CompletionCommand.NAME -> CompletionCommand.class;
      case HelpCommand.NAME -> HelpCommand.class;
      case "version" -> Version.class;
      default -> CommandLine.getCommandMethods(EntryCommands.class, name).getFirst();
    };
  }
}
