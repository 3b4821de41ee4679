package dev.ebb.host.resp;

import dev.ebb.host.store.key.Glob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The command COMMAND, which describes the other commands to clients. */
final class CommandTable {

  private static final List<Command> ALL = List.of(Command.values());

  private static final String NO_KEYS = "ERR The command has no key arguments";

  private final Replies replies;

  CommandTable(Replies replies) {
    this.replies = replies;
  }

  void run(List<byte[]> arguments) throws CommandException {
    if (arguments.size() == 1) {
      info(ALL);
      return;
    }
    List<byte[]> rest = arguments.subList(2, arguments.size());
    switch (Text.upper(arguments.get(1))) {
      case "COUNT" -> {
        ServerCommands.need(arguments, 2, "command|count");
        replies.integer(ALL.size());
      }
      case "DOCS" -> docs(rest.isEmpty() ? ALL : named(rest));
      case "GETKEYS" -> keys(rest);
      case "INFO" -> info(rest.isEmpty() ? ALL : named(rest));
      case "LIST" -> list(rest);
      default -> SubcommandHelp.COMMAND.answer(arguments, replies);
    }
  }

  private static List<@Nullable Command> named(List<byte[]> names) {
    List<@Nullable Command> commands = new ArrayList<>();
    names.forEach(name -> commands.add(Command.of(name)));
    return commands;
  }

  private void info(List<? extends @Nullable Command> commands) {
    replies.array(commands.size());
    for (Command command : commands) {
      if (command == null) {
        replies.nil();
      } else {
        info(command);
      }
    }
  }

  private void info(Command command) {
    List<String> flags = command.flags();
    replies.array(10);
    replies.bulk(command.lower);
    replies.integer(command.arity);
    replies.set(flags.size());
    flags.forEach(replies::simple);
    replies.integer(command.firstKey);
    replies.integer(command.lastKey);
    replies.integer(command.keyStep);
    // No categories of access rights, no tips, no subcommands.
    replies.set(0);
    replies.array(0);
    keySpecs(command);
    replies.array(0);
  }

  private void keySpecs(Command command) {
    if (command.firstKey == 0 && !command.hasMovableKeys()) {
      replies.array(0);
      return;
    }
    replies.array(1);
    replies.map(3);
    replies.bulk("flags");
    replies.set(1);
    replies.simple(command.flags().contains("write") ? "RW" : "RO");
    replies.bulk("begin_search");
    if (command.hasMovableKeys()) {
      spec("keyword", 2);
      replies.bulk("keyword");
      replies.bulk(EbbRequest.KEYS);
      number("startfrom", command.keywordFrom());
    } else {
      spec("index", 1);
      number("index", command.firstKey);
    }
    replies.bulk("find_keys");
    spec("range", 3);
    // Relative to the first key, unless it counts from the end.
    boolean toEnd = command.hasMovableKeys() || command.lastKey < 0;
    number("lastkey", toEnd ? -1 : command.lastKey - command.firstKey);
    number("keystep", command == Command.EBB_PLACE ? PlaceRequest.STEP : 1);
    number("limit", 0);
  }

  private void spec(String type, int fields) {
    replies.map(2);
    replies.bulk("type");
    replies.bulk(type);
    replies.bulk("spec");
    replies.map(fields);
  }

  private void number(String name, long number) {
    replies.bulk(name);
    replies.integer(number);
  }

  private void docs(List<? extends @Nullable Command> commands) {
    List<Command> known =
        commands.stream()
            .filter(Objects::nonNull)
            .map(Objects::requireNonNull)
            .filter(command -> CommandDocs.of(command) != null)
            .toList();
    replies.map(known.size());
    for (Command command : known) {
      replies.bulk(command.lower);
      Objects.requireNonNull(CommandDocs.of(command)).write(replies);
    }
  }

  private void list(List<byte[]> arguments) throws CommandException {
    List<String> names =
        ALL.stream().filter(filter(arguments)).map(command -> command.lower).toList();
    replies.array(names.size());
    names.forEach(replies::bulk);
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

  private void keys(List<byte[]> arguments) throws CommandException {
    if (arguments.size() < 2) {
      throw CommandException.arity("command|getkeys");
    }
    Command command = Command.of(arguments.getFirst());
    if (command == null) {
      throw new CommandException("ERR Invalid command specified");
    }
    if (command.firstKey == 0 && !command.hasMovableKeys()) {
      throw new CommandException(NO_KEYS);
    }
    if (!command.takes(arguments.size())) {
      throw new CommandException("ERR Invalid number of arguments specified for command");
    }
    List<byte[]> keys = command.keys(arguments);
    if (keys.isEmpty()) {
      throw new CommandException(NO_KEYS);
    }
    replies.array(keys.size());
    keys.forEach(replies::bulk);
  }
}
