package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb eviction}. */
@Command(
    name = "eviction",
    description = "Shows how a running Ebb evicts",
    subcommands = {EvictionStatsCommand.class})
final class EvictionCommand extends CommandGroup {}
