package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.rollout.CanaryDocument;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.config.PolicySpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The group {@code ebb rollout}. */
@Command(
    name = "rollout",
    description =
        "Tries a policy on one node first; then all nodes switch, or that one goes back by itself")
public final class RolloutCommand extends CommandGroup {

  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofDays(6);

  RolloutCommand() {
    super("policy", "plugins", "status");
  }

  /** How a rollout is decided. */
  static final class Options {

    @Option(
        names = "--canary",
        paramLabel = "NODE",
        description =
            "The node that starts, as 'ebb cluster nodes' shows it; by default the one that answers")
    private @Nullable String canary;

    @Option(
        names = "--for",
        paramLabel = "TIME",
        defaultValue = "10m",
        description = "How long it is compared: 90s, 10m, 2h, or seconds; by default 10m")
    private String time;

    @Option(
        names = "--keep-if",
        paramLabel = "CONDITION",
        defaultValue = KeepCondition.DEFAULT,
        description =
            "The least difference in percentage points to the other nodes, and to a shadow of the"
                + " policy before on the same requests: prefixHitRatio or hitRatio; by default '"
                + KeepCondition.DEFAULT
                + "'")
    private String keepIf;
  }

  @Command(
      description = "Rolls a policy out",
      footer = {
        "  ebb rollout policy sieve --canary n1 --for 10m",
        "  ebb rollout policy 'lfu(ageing=dynamic)' --canary n1 --keep-if 'prefixHitRatio > 0pt'"
      })
  int policy(
      @Mixin ServerOptions server,
      @Mixin Options options,
      @Parameters(
              paramLabel = "NAME",
              description = "The policy's name, with settings in parentheses if wanted")
          String name) {
    return run(server, options, server.usage(() -> PolicySpec.parse(name, "NAME")).display());
  }

  @Command(
      description =
          "Rolls new versions of plugins out: JARs that were put into the plugin folder of each"
              + " node, with ebb.plugins.reload = false",
      footer = "  ebb rollout plugins --canary n1 --for 10m")
  int plugins(@Mixin ServerOptions server, @Mixin Options options) {
    return run(server, options, null);
  }

  @Command(
      description =
          "Shows what the node that answers tries, or has tried last: how long it lasts, why it"
              + " has gone back, or why it cannot",
      footer = {"  ebb rollout status", "  ebb rollout status --url http://127.0.0.1:9091"})
  int status(@Mixin ServerOptions server) {
    return server.show(client -> client.get(Rollout.CANARY, CanaryDocument.class), Rollout::status);
  }

  private static int run(ServerOptions server, Options options, @Nullable String policy) {
    Duration length = server.usage(() -> Usage.time("--for", options.time, SHORTEST, LONGEST));
    KeepCondition condition = server.usage(() -> KeepCondition.parse(options.keepIf));
    try (Rollout rollout = new Rollout(server, policy, options.canary, length, condition)) {
      return server.show(rollout.run(), rollout::lines);
    }
  }
}
