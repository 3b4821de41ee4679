package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb pool}. */
@Command(
    name = "pool",
    description = "Plans the memory for KV blocks, and inspects that of a running Ebb",
    subcommands = {
      PoolSizeCommand.class,
      PoolStatsCommand.class,
      PoolMapCommand.class,
      PoolDefragCommand.class,
      PoolMigrateCommand.class,
      PoolMigrationStatusCommand.class
    })
final class PoolCommand extends CommandGroup {}
