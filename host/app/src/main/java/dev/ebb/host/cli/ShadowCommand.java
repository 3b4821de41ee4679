package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb policy shadow}. */
@Command(
    name = "shadow",
    description = "Lets policies run beside the active one, on a sample of the traffic",
    subcommands = {ShadowListCommand.class, ShadowAddCommand.class, ShadowRemoveCommand.class})
final class ShadowCommand extends CommandGroup {}
