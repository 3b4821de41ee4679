package dev.ebb.host.resp;

import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Replies.Status;
import dev.ebb.host.resp.session.Text;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A subcommand.
 *
 * @param arity as that of a command, with both names
 * @param right null if a login is enough
 */
record Subcommand(String name, int arity, @Nullable UserRight right, Command.Execution execution) {

  static final int SHOWN = 128;

  private static final Subcommand HELP = new Subcommand("HELP", 2, null, (on, words, value) -> {});

  /** Returns the subcommand that a call names; null if there is none. */
  static @Nullable Subcommand of(Command command, List<byte[]> words) {
    if (words.size() > 1) {
      String name = Text.upper(words.get(1));
      for (Subcommand each : command.subcommands) {
        if (each.name().equals(name)) {
          return each;
        }
      }
      return name.equals(HELP.name()) ? HELP : null;
    }
    return null;
  }

  static void run(Command command, Commands on, List<byte[]> words) throws CommandException {
    Subcommand chosen = of(command, words);
    if (chosen == null) {
      throw new CommandException(
          "ERR unknown subcommand '%s'. Try %s HELP."
              .formatted(Text.shown(words.get(1), SHOWN), command.upper));
    }
    if (!Command.takes(chosen.arity, words.size())) {
      throw CommandException.arity(command.lower + "|" + chosen.name().toLowerCase(Locale.ROOT));
    }
    if (chosen == HELP) {
      on.replies.value(help(command));
    } else {
      chosen.execution.run(on, words, null);
    }
  }

  private static List<Status> help(Command command) {
    String first = command.upper + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:";
    return Stream.concat(Stream.of(first), CommandDocs.help(command).stream())
        .map(Status::new)
        .toList();
  }
}
