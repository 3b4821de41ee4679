package dev.ebb.host.cli.serve;

import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.app.ConfigCheck;
import dev.ebb.host.app.ConfigCheck.Finding;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.server.ConfigChange;
import dev.ebb.host.cli.server.ConfigLines;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.ConfigEntry;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.hocon.UntrustedHocon;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "config",
    description = "Checks the configuration, shows it, and changes that of a running Ebb")
public final class ConfigCommand extends CommandGroup {

  ConfigCommand() {
    super("check", "show", "set", "unset");
  }

  private record Findings(boolean ok, List<Finding> checks) {}

  @Command(
      description =
          "Checks everything that 'ebb serve' needs, and reports every mistake: keys and values,"
              + " plugins, the policy and its settings, the pool's memory, both ports",
      footer = {"  ebb config check", "  ebb config check --config /etc/ebb.conf --json"})
  int check(@Mixin ConfigOption config, @Mixin JsonOption json) {
    List<Finding> checks = findings(config, json);
    boolean ok = checks.stream().noneMatch(each -> each.level() == ConfigCheck.Level.WRONG);
    json.print(
        () -> Json.text(new Findings(ok, checks)),
        () ->
            checks.stream()
                .map(each -> "%-7s  %-7s  %s".formatted(each.level(), each.subject(), each.text()))
                .toList());
    return ok ? 0 : 1;
  }

  private static List<Finding> findings(ConfigOption config, JsonOption json) {
    try {
      return ConfigCheck.findings(config.load());
    } catch (UserError unreadable) {
      if (!json.wanted()) {
        throw unreadable;
      }
      return unreadable.messages().stream()
          .map(text -> new Finding(ConfigCheck.Level.WRONG, "keys", text))
          .toList();
    }
  }

  @Command(
      description =
          "Shows every value and where it comes from, of the file or, with --url, of a running Ebb;"
              + " secrets are hidden",
      footer = {
        "  ebb config show",
        "  ebb config show --config /etc/ebb.conf --json",
        "  ebb config show --url http://127.0.0.1:9090"
      })
  int show(@Mixin ServerOptions server) {
    return server.isGiven()
        ? server.show(
            client -> client.get(ConfigChange.CONFIG, ConfigDocument.class), ConfigLines::values)
        : server.show(configured(server.load()), ConfigLines::values);
  }

  private static Answer<ConfigDocument> configured(LoadedConfig loaded) {
    loaded.orThrow();
    List<ConfigEntry> entries = loaded.tree().entries();
    List<ConfigDocument.Value> values =
        entries.stream()
            .map(each -> new ConfigDocument.Value(each.key(), each.value(), each.origin(), false))
            .toList();
    return new Answer<>(
        Json.text(Map.of("values", entries)),
        () -> new ConfigDocument(0, values, List.of(), List.of()));
  }

  @Command(
      description =
          "Changes values of a running Ebb, all or none; the file stays unchanged, so a restart"
              + " reverts them, as does 'ebb config unset'",
      footer = {
        "  ebb config set ebb.eviction.policy=sieve",
        "  ebb config set ebb.eviction.ttl='2 h' --dry-run",
        "  ebb config set ebb.eviction.policies.lfu='{ ageing = dynamic }'",
        "  ebb config set ebb.eviction.rules=[]"
      })
  int set(
      @Mixin ServerOptions server,
      @Mixin ConfigChange change,
      @Parameters(
              arity = "1..*",
              paramLabel = "KEY=VALUE",
              description =
                  "A key that can change while Ebb runs, and its value; of a section the values to"
                      + " change, in braces")
          List<String> values) {
    Map<String, @Nullable Object> changes = new LinkedHashMap<>();
    for (String each : values) {
      int equals = each.indexOf('=');
      if (equals < 1 || each.startsWith("{")) {
        throw server.wrong(
            "'%s' must be KEY=VALUE, in one word: ebb.eviction.policy=sieve, or with spaces in it ebb.eviction.ttl='2 h'"
                .formatted(each));
      }
      changes.put(each.substring(0, equals).strip(), plain(each.substring(equals + 1).strip()));
    }
    return change.send(server, changes);
  }

  private static Object plain(String text) {
    if (text.startsWith("[") || text.startsWith("{") || text.startsWith("\"")) {
      return UntrustedHocon.value(text);
    }
    if (text.equals("true") || text.equals("false")) {
      return Boolean.valueOf(text);
    }
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException notANumber) {
      return text;
    }
  }

  @Command(
      description =
          "Reverts changes made while Ebb runs: the value of the file is active again, or the"
              + " default; all or none",
      footer = {
        "  ebb config unset ebb.eviction.ttl",
        "  ebb config unset ebb.eviction.policies.lfu --dry-run"
      })
  int unset(
      @Mixin ServerOptions server,
      @Mixin ConfigChange change,
      @Parameters(
              arity = "1..*",
              paramLabel = "KEY",
              description = "A key, or a section for all of it that was changed")
          List<String> keys) {
    Map<String, @Nullable Object> changes = new LinkedHashMap<>();
    keys.forEach(key -> changes.put(key, null));
    return change.send(server, changes);
  }
}
