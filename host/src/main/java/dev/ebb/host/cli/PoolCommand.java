package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb pool}. */
@Command(
    name = "pool",
    description = "Plans the memory that holds KV blocks",
    subcommands = {PoolSizeCommand.class})
final class PoolCommand extends CommandGroup {}
