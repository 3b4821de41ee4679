package dev.ebb.host.resp;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Replies;
import dev.ebb.host.resp.session.Replies.Status;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.key.Glob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The command COMMAND, which describes the other commands to clients. */
final class CommandTable {

  static final List<Subcommand> SUBCOMMANDS =
      List.of(
          new Subcommand(
              "COUNT", 2, null, (on, words, value) -> on.replies.integer(Command.values().length)),
          new Subcommand(
              "DOCS", -2, null, (on, words, value) -> on.replies.value(docs(named(words)))),
          new Subcommand(
              "GETKEYS",
              -4,
              null,
              (on, words, value) -> on.replies.value(keys(words.subList(2, words.size())))),
          new Subcommand(
              "INFO", -2, null, (on, words, value) -> on.replies.value(info(named(words)))),
          new Subcommand(
              "LIST",
              -2,
              null,
              (on, words, value) -> on.replies.value(list(words.subList(2, words.size())))));

  private static final Status WRITES = new Status("write");
  private static final String NO_KEYS = "ERR The command has no key arguments";

  private CommandTable() {}

  static void all(Commands on) {
    on.replies.value(info(Arrays.asList(Command.values())));
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

  private static List<@Nullable Object> info(List<? extends @Nullable Command> commands) {
    List<@Nullable Object> rows = new ArrayList<>();
    commands.forEach(command -> rows.add(command == null ? null : row(command)));
    return rows;
  }

  /** Returns a row without categories of access rights, tips and subcommands. */
  private static List<Object> row(Command command) {
    Set<Status> flags = new LinkedHashSet<>();
    command.flags().forEach(flag -> flags.add(new Status(flag)));
    Command.Keys keys = command.keys;
    return List.of(
        command.lower,
        command.arity,
        flags,
        keys.first(),
        keys.last(),
        keys.first() == 0 ? 0 : keys.step(),
        Set.of(),
        List.of(),
        keys.announced() ? List.of(keySpec(keys, flags.contains(WRITES))) : List.of(),
        List.of());
  }

  private static Map<String, Object> keySpec(Command.Keys keys, boolean writes) {
    // Relative to the first key, unless it counts from the end.
    boolean toEnd = keys.movable() || keys.last() < 0;
    return Replies.fields(
        "flags",
        Set.of(new Status(writes ? "RW" : "RO")),
        "begin_search",
        keys.movable()
            ? spec("keyword", "keyword", EbbRequest.KEYS, "startfrom", keys.keywordFrom())
            : spec("index", "index", keys.first()),
        "find_keys",
        spec(
            "range",
            "lastkey",
            toEnd ? -1 : keys.last() - keys.first(),
            "keystep",
            keys.step(),
            "limit",
            0));
  }

  private static Map<String, Object> spec(String type, Object... fields) {
    return Replies.fields("type", type, "spec", Replies.fields(fields));
  }

  private static Map<String, Object> docs(List<? extends @Nullable Command> commands) {
    Map<String, Object> docs = new LinkedHashMap<>();
    for (Command command : commands) {
      if (command != null && command.isOwn()) {
        docs.put(command.lower, CommandDocs.of(command));
      }
    }
    return docs;
  }

  private static List<String> list(List<byte[]> arguments) throws CommandException {
    Predicate<Command> wanted = filter(arguments);
    return Arrays.stream(Command.values()).filter(wanted).map(each -> each.lower).toList();
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

  private static List<byte[]> keys(List<byte[]> call) throws CommandException {
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
    return keys;
  }
}
