package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.QuarantineDocument;
import dev.ebb.host.admin.policy.ShadowDocument;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.Percent;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The group {@code ebb policy}. */
@Command(
    name = "policy",
    description = "Shows and changes the eviction policy of a running Ebb",
    subcommands = {RulesCommand.class, ShadowCommand.class})
public final class PolicyCommand extends CommandGroup {

  private static final String POLICIES = "/api/v1/policies";

  PolicyCommand() {
    super("list", "show", "set", "rollback", "unquarantine", "compare", "rules", "shadow");
  }

  @Command(
      description =
          "Lists the policies that a running Ebb could use; * is the active one, ! is in"
              + " quarantine",
      footer = {"  ebb policy list", "  ebb policy list --json"})
  int list(@Mixin ServerOptions server) {
    return server.show(client -> client.get(POLICIES, PolicyDocument.All.class), PolicyLines::list);
  }

  @Command(
      description = "Shows one policy with its settings; by default the active one",
      footer = {"  ebb policy show", "  ebb policy show lfu"})
  int show(
      @Mixin ServerOptions server,
      @Parameters(arity = "0..1", paramLabel = "NAME", description = "The policy's name")
          @Nullable String name) {
    return server.show(
        client -> {
          Answer<PolicyDocument.All> answer = client.get(POLICIES, PolicyDocument.All.class);
          PolicyLines.find(name, answer.document());
          return answer;
        },
        policies -> PolicyLines.show(name, policies));
  }

  @Command(
      description = "Activates a policy, under traffic; nothing is evicted by the change",
      footer = {"  ebb policy set sieve", "  ebb policy set 'lfu(ageing=dynamic)'"})
  int set(
      @Mixin ServerOptions server,
      @Parameters(
              paramLabel = "NAME",
              description =
                  "The policy's name, with settings in parentheses if wanted; see 'ebb policy"
                      + " list'")
          String name) {
    return server.show(
        client ->
            client.send(
                "PUT", "/api/v1/policy", Map.of("policy", name), PolicyDocument.Changed.class),
        PolicyLines::changed);
  }

  @Command(
      description = "Returns to the previous policy, and to the JAR that it was loaded from",
      footer = "  ebb policy rollback")
  int rollback(@Mixin ServerOptions server) {
    return server.show(
        client ->
            client.send(
                "POST", "/api/v1/policy/rollback", Map.of(), PolicyDocument.RolledBack.class),
        PolicyLines::rolledBack);
  }

  @Command(
      description =
          "Removes a policy from quarantine, so that it can be chosen again; does not activate it",
      footer = {"  ebb policy unquarantine acme-lru", "  ebb policy unquarantine acme-lru --json"})
  int unquarantine(
      @Mixin ServerOptions server,
      @Parameters(paramLabel = "NAME", description = "The policy's name; see 'ebb policy show'")
          String name) {
    return server.show(
        client ->
            client.delete(
                "/api/v1/quarantine/" + Percent.encode(name), QuarantineDocument.Cleared.class),
        PolicyLines.UNQUARANTINED::lines);
  }

  @Command(
      description =
          "Shows the estimated hit ratio of each policy started with 'ebb policy shadow add', and"
              + " of the active one",
      footer = {"  ebb policy compare", "  ebb policy compare --json"})
  int compare(@Mixin ServerOptions server) {
    return server.show(
        client -> client.get("/api/v1/shadows", ShadowDocument.class), ShadowLines::comparison);
  }
}
