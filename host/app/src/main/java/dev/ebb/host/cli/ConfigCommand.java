package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb config}. */
@Command(
    name = "config",
    description = "Checks the configuration, shows it, and changes that of a running Ebb",
    subcommands = {
      ConfigCheckCommand.class,
      ConfigShowCommand.class,
      ConfigSetCommand.class,
      ConfigUnsetCommand.class
    })
final class ConfigCommand extends CommandGroup {}
