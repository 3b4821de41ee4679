package dev.ebb.host.cli;

import dev.ebb.host.config.ConfigText;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb config set}: changes values of a running Ebb. */
@Command(
    name = "set",
    description =
        "Changes values of a running Ebb, all or none; the file stays unchanged, so a restart"
            + " reverts them, as does 'ebb config unset'",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb config set ebb.eviction.policy=sieve",
      "  ebb config set ebb.eviction.ttl='2 h' --dry-run",
      "  ebb config set ebb.eviction.policies.lfu='{ ageing = dynamic }'",
      "  ebb config set ebb.eviction.rules=[]"
    })
final class ConfigSetCommand extends ConfigChangeCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "KEY=VALUE",
      description =
          "A key that can change while Ebb runs, and its value; of a section the values to change,"
              + " in braces")
  private List<String> values;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ConfigSetCommand() {}

  @Override
  Map<String, @Nullable Object> changes() {
    Map<String, @Nullable Object> changes = new LinkedHashMap<>();
    for (String each : values) {
      int equals = each.indexOf('=');
      if (equals < 1 || each.startsWith("{")) {
        throw wrong(
            "'%s' must be KEY=VALUE, in one word: ebb.eviction.policy=sieve, or with spaces in it ebb.eviction.ttl='2 h'"
                .formatted(each));
      }
      changes.put(each.substring(0, equals).strip(), plain(each.substring(equals + 1).strip()));
    }
    return changes;
  }

  private static Object plain(String text) {
    if (text.startsWith("[") || text.startsWith("{")) {
      return ConfigText.value(text);
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
}
