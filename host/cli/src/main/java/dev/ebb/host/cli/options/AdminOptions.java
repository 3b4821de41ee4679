package dev.ebb.host.cli.options;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of operators, for every command that starts a server. */
public final class AdminOptions {

  @Option(names = "--log-evictions", description = "Writes every eviction to ebb.eviction.log-file")
  private boolean log;

  @Option(
      names = "--admin-port",
      converter = OptionValues.Port.class,
      paramLabel = "N",
      description = "The port of the admin API, 0 for any free one; by default ebb.admin.port")
  private @Nullable Integer port;

  @Option(
      names = "--admin-bind",
      paramLabel = "ADDRESS",
      description = "The address of the admin API; by default ebb.admin.bind")
  private @Nullable String bind;

  /** Adds the options that are given. */
  public OptionOverrides addTo(OptionOverrides overrides) {
    return overrides
        .add("--log-evictions", "ebb.eviction.log", log)
        .add("--admin-port", "ebb.admin.port", port)
        .add("--admin-bind", "ebb.admin.bind", bind);
  }
}
