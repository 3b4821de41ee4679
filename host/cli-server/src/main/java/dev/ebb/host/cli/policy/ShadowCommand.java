package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.ShadowDocument;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.units.Percent;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The group {@code ebb policy shadow}. */
@Command(
    name = "shadow",
    description = "Lets policies run beside the active one, on a sample of the traffic")
final class ShadowCommand extends CommandGroup {

  private static final String SHADOWS = "/api/v1/shadows";

  ShadowCommand() {
    super("list", "add", "remove");
  }

  @Command(
      description = "Lists the candidates: progress, cost, failures",
      footer = {"  ebb policy shadow list", "  ebb policy shadow list --json"})
  int list(@Mixin ServerOptions server) {
    return server.show(client -> client.get(SHADOWS, ShadowDocument.class), ShadowLines::states);
  }

  @Command(
      description = "Starts candidates; 'ebb policy compare' shows their hit ratios",
      footer = {
        "  ebb policy shadow add sieve,arc",
        "  ebb policy shadow add \"lfu(ageing=dynamic)\",active@2x"
      })
  int add(
      @Mixin ServerOptions server,
      @Parameters(
              paramLabel = "LIST",
              description =
                  "Policies, separated by commas, each with settings in parentheses if wanted, and"
                      + " with @2x for twice the memory; 'active' is the active one")
          String policies) {
    return server.show(
        client ->
            client.send(
                "POST",
                SHADOWS,
                Map.of("policies", parsed(server, policies)),
                ShadowDocument.class),
        ShadowLines::states);
  }

  private static List<String> parsed(ServerOptions server, String policies) {
    return server.usage(
        () -> ShadowSpec.parseList(policies, "LIST").stream().map(ShadowSpec::display).toList());
  }

  @Command(
      description = "Ends a candidate; without candidates nothing is sampled",
      footer = "  ebb policy shadow remove sieve")
  int remove(
      @Mixin ServerOptions server,
      @Parameters(
              paramLabel = "NAME",
              description = "The candidate, as 'ebb policy shadow list' shows it")
          String policy) {
    return server.show(
        client -> client.delete(SHADOWS + "/" + Percent.encode(policy), ShadowDocument.class),
        ShadowLines::states);
  }
}
