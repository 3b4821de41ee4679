package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb pool}. */
@Command(
    name = "pool",
    description = "Plans the memory that holds KV blocks, and looks at a running Ebb's",
    subcommands = {
      PoolSizeCommand.class,
      PoolStatsCommand.class,
      PoolMapCommand.class,
      PoolDefragCommand.class,
      PoolMigrateCommand.class,
      PoolMigrationStatusCommand.class
    })
final class PoolCommand extends CommandGroup {}
