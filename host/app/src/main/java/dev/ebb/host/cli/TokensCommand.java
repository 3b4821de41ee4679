package dev.ebb.host.cli;

import picocli.CommandLine.Command;

/** The group {@code ebb tokens}. */
@Command(
    name = "tokens",
    description = "Compares the policies that drop tokens inside a sequence",
    subcommands = TokensEvalCommand.class)
final class TokensCommand extends CommandGroup {}
