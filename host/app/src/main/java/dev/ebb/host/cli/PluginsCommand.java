package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb plugins}. */
@Command(
    name = "plugins",
    description = "Shows, installs and removes plugins, and helps plugin authors",
    subcommands = {
      PluginsListCommand.class,
      PluginsInstallCommand.class,
      PluginsRemoveCommand.class,
      PluginsReloadCommand.class,
      PluginsHistoryCommand.class,
      PluginsNewCommand.class,
      PluginsVerifyCommand.class,
      PluginsBenchCommand.class
    })
final class PluginsCommand extends CommandGroup {}
