package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb policy}. */
@Command(
    name = "policy",
    description = "Shows and changes the eviction policy of a running Ebb",
    subcommands = {
      PolicyListCommand.class,
      PolicyShowCommand.class,
      PolicySetCommand.class,
      PolicyRollbackCommand.class,
      PolicyUnquarantineCommand.class,
      PolicyCompareCommand.class,
      RulesCommand.class,
      ShadowCommand.class
    })
final class PolicyCommand extends CommandGroup {}
