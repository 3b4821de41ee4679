package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb plugins}. */
@Command(
    name = "plugins",
    description = "Shows the plugins in the drop-in folder",
    subcommands = {PluginsListCommand.class})
final class PluginsCommand extends CommandGroup {}
