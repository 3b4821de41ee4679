package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb plugins}. */
@Command(
    name = "plugins",
    description = "Shows, installs and removes plugins",
    subcommands = {
      PluginsListCommand.class,
      PluginsInstallCommand.class,
      PluginsRemoveCommand.class,
      PluginsReloadCommand.class,
      PluginsHistoryCommand.class
    })
final class PluginsCommand extends CommandGroup {}
