package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.CommandGroup;
import picocli.CommandLine.Command;

/** The group {@code ebb tokens}. */
@Command(
    name = "tokens",
    description = "Compares the policies that drop tokens inside a sequence",
    subcommands = TokensEvalCommand.class)
public final class TokensCommand extends CommandGroup {}
