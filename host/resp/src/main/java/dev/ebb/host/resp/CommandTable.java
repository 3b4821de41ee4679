package dev.ebb.host.resp;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Replies;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.key.Glob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The command COMMAND, which describes the other commands to clients. */
final class CommandTable {

  static final List<Subcommand> SUBCOMMANDS =
      List.of(
          new Subcommand(
              "COUNT", 2, null, (on, words, value) -> on.replies.integer(Command.values().length)),
          new Subcommand("DOCS", -2, null, (on, words, value) -> docs(named(words), on.replies)),
          new Subcommand(
              "GETKEYS",
              -4,
              null,
              (on, words, value) -> keys(words.subList(2, words.size()), on.replies)),
          new Subcommand("INFO", -2, null, (on, words, value) -> info(named(words), on.replies)),
          new Subcommand(
              "LIST",
              -2,
              null,
              (on, words, value) -> list(words.subList(2, words.size()), on.replies)));

  private static final String NO_KEYS = "ERR The command has no key arguments";

  private CommandTable() {}

  static void all(Commands on) {
    info(Arrays.asList(Command.values()), on.replies);
  }

  /** Returns the commands that a call names, null for unknown ones; without names all. */
  private static List<@Nullable Command> named(List<byte[]> words) {
    if (words.size() == 2) {
      return Arrays.asList(Command.values());
    }
    List<@Nullable Command> commands = new ArrayList<>();
    words.stream().skip(2).forEach(name -> commands.add(Command.of(name)));
    return commands;
  }

  private static void info(List<? extends @Nullable Command> commands, Replies replies) {
    replies.array(commands.size());
    for (Command command : commands) {
      if (command == null) {
        replies.nil();
      } else {
        info(command, replies);
      }
    }
  }

  private static void info(Command command, Replies replies) {
    List<String> flags = command.flags();
    replies.array(10);
    replies.bulk(command.lower);
    replies.integer(command.arity);
    replies.set(flags.size());
    flags.forEach(replies::simple);
    Command.Keys keys = command.keys;
    replies.integer(keys.first());
    replies.integer(keys.last());
    replies.integer(keys.first() == 0 ? 0 : keys.step());
    // No categories of access rights, no tips, no subcommands.
    replies.set(0);
    replies.array(0);
    if (keys.announced()) {
      keySpec(keys, flags.contains("write"), replies);
    } else {
      replies.array(0);
    }
    replies.array(0);
  }

  private static void keySpec(Command.Keys keys, boolean writes, Replies replies) {
    replies.array(1);
    replies.map(3);
    replies.bulk("flags");
    replies.set(1);
    replies.simple(writes ? "RW" : "RO");
    replies.bulk("begin_search");
    if (keys.movable()) {
      spec("keyword", 2, replies);
      replies.pair("keyword", EbbRequest.KEYS);
      replies.pair("startfrom", keys.keywordFrom());
    } else {
      spec("index", 1, replies);
      replies.pair("index", keys.first());
    }
    replies.bulk("find_keys");
    spec("range", 3, replies);
    // Relative to the first key, unless it counts from the end.
    boolean toEnd = keys.movable() || keys.last() < 0;
    replies.pair("lastkey", toEnd ? -1 : keys.last() - keys.first());
    replies.pair("keystep", keys.step());
    replies.pair("limit", 0);
  }

  private static void spec(String type, int fields, Replies replies) {
    replies.map(2);
    replies.pair("type", type);
    replies.bulk("spec");
    replies.map(fields);
  }

  private static void docs(List<? extends @Nullable Command> commands, Replies replies) {
    List<Command> own =
        commands.stream()
            .filter(Objects::nonNull)
            .map(Objects::requireNonNull)
            .filter(Command::isOwn)
            .toList();
    replies.map(own.size());
    for (Command command : own) {
      replies.bulk(command.lower);
      CommandDocs.of(command).write(replies);
    }
  }

  private static void list(List<byte[]> arguments, Replies replies) throws CommandException {
    Predicate<Command> wanted = filter(arguments);
    replies.bulks(Arrays.stream(Command.values()).filter(wanted).map(each -> each.lower).toList());
  }

  private static Predicate<Command> filter(List<byte[]> arguments) throws CommandException {
    if (arguments.isEmpty()) {
      return command -> true;
    }
    if (arguments.size() != 3 || !Text.upper(arguments.getFirst()).equals("FILTERBY")) {
      throw CommandException.syntax();
    }
    byte[] wanted = arguments.get(2);
    return switch (Text.upper(arguments.get(1))) {
      case "MODULE" -> {
        boolean own = Arrays.equals(wanted, Text.bytes(EbbCommands.MODULE));
        yield command -> own && command.isOwn();
      }
      case "ACLCAT" -> command -> false;
      case "PATTERN" -> {
        Glob pattern = Text.pattern(wanted, true);
        yield command -> pattern.matches(Text.bytes(command.lower));
      }
      default -> throw CommandException.syntax();
    };
  }

  private static void keys(List<byte[]> call, Replies replies) throws CommandException {
    Command command = Command.of(call.getFirst());
    if (command == null) {
      throw new CommandException("ERR Invalid command specified");
    }
    if (!command.keys.announced()) {
      throw new CommandException(NO_KEYS);
    }
    if (!command.takes(call.size())) {
      throw new CommandException("ERR Invalid number of arguments specified for command");
    }
    List<byte[]> keys = command.keys.of(call);
    if (keys.isEmpty()) {
      throw new CommandException(NO_KEYS);
    }
    replies.array(keys.size());
    keys.forEach(replies::bulk);
  }
}
