package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb policy rules}. */
@Command(
    name = "rules",
    description = "Shows, pauses and resumes the rules that activate policies",
    subcommands = {RulesListCommand.class, RulesPauseCommand.class, RulesResumeCommand.class})
final class RulesCommand extends CommandGroup {}
