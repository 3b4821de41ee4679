package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.RulesDocument;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The group {@code ebb policy rules}. */
@Command(name = "rules", description = "Shows, pauses and resumes the rules that activate policies")
final class RulesCommand extends CommandGroup {

  private static final String RULES = "/api/v1/policy/rules";

  RulesCommand() {
    super("list", "pause", "resume");
  }

  @Command(
      description = "Lists the rules: the current value of each signal, and which rule decides",
      footer = {"  ebb policy rules list", "  ebb policy rules list --json"})
  int list(@Mixin ServerOptions server) {
    return server.show(client -> client.get(RULES, RulesDocument.class), RuleLines::of);
  }

  @Command(
      description = "Pauses the rules until they are resumed: the configured policy is active",
      footer = "  ebb policy rules pause")
  int pause(@Mixin ServerOptions server) {
    return post(server, "/pause");
  }

  @Command(description = "Resumes the rules, within a second", footer = "  ebb policy rules resume")
  int resume(@Mixin ServerOptions server) {
    return post(server, "/resume");
  }

  private static int post(ServerOptions server, String action) {
    return server.show(
        client -> client.send("POST", RULES + action, Map.of(), RulesDocument.class),
        RuleLines::of);
  }
}
