package dev.ebb.host.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb config unset}: reverts values of a running Ebb to those of the file. */
@Command(
    name = "unset",
    description =
        "Reverts changes made while Ebb runs: the value of the file is active again, or the"
            + " default; all or none",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb config unset ebb.eviction.ttl",
      "  ebb config unset ebb.eviction.policies.lfu --dry-run"
    })
final class ConfigUnsetCommand extends ConfigChangeCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "KEY",
      description = "A key, or a section for all of it that was changed")
  private List<String> keys;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ConfigUnsetCommand() {}

  @Override
  Map<String, @Nullable Object> changes() {
    Map<String, @Nullable Object> changes = new LinkedHashMap<>();
    keys.forEach(key -> changes.put(key, null));
    return changes;
  }
}
