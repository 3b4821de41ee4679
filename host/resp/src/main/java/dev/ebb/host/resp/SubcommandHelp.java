package dev.ebb.host.resp;

import java.util.List;
import java.util.Locale;

/** The reply to HELP after a command with subcommands: the implemented ones. */
enum SubcommandHelp {
  ACL(
      "LIST",
      "    Show users details in config file format.",
      "USERS",
      "    List all the registered usernames.",
      "WHOAMI",
      "    Return the current connection username."),
  CLIENT(
      "GETNAME",
      "    Return the name of the current connection.",
      "ID",
      "    Return the ID of the current connection.",
      "LIST",
      "    Return information about client connections.",
      "MAINT_NOTIFICATIONS",
      "    Accepted, but there are never maintenance notifications.",
      "SETINFO <option> <value>",
      "    Set the client's library: LIB-NAME or LIB-VER.",
      "SETNAME <name>",
      "    Assign the name <name> to the current connection."),
  COMMAND(
      "(no subcommand)",
      "    Return details about all commands.",
      "COUNT",
      "    Return the total number of commands in this server.",
      "DOCS [<command-name> ...]",
      "    Return documentation details about the commands that Redis does not have.",
      "GETKEYS <full-command>",
      "    Return the keys from a full command.",
      "INFO [<command-name> ...]",
      "    Return details about multiple commands, or about all of them.",
      "LIST [FILTERBY (MODULE <module-name> | ACLCAT <category> | PATTERN <pattern>)]",
      "    Return the names of the commands in this server."),
  CONFIG(
      "GET <pattern>", "    Return parameters matching the glob-like <pattern> and their values."),
  MODULE("LIST", "    Return the modules of this server, and their versions.");

  static final int SHOWN = 128;

  private final String text;

  SubcommandHelp(String... lines) {
    text = String.join("\n", lines);
  }

  /** Replies to HELP; any other subcommand is unknown. */
  void answer(List<byte[]> arguments, Replies replies) throws CommandException {
    String sub = Text.of(arguments.get(1));
    if (!sub.equalsIgnoreCase("HELP")) {
      throw new CommandException(
          "ERR unknown subcommand '%s'. Try %s HELP."
              .formatted(Text.shown(arguments.get(1), SHOWN), name()));
    }
    ServerCommands.need(arguments, 2, name().toLowerCase(Locale.ROOT) + "|help");
    List<String> lines = text.lines().toList();
    replies.array(lines.size() + 3);
    replies.simple(name() + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    lines.forEach(replies::simple);
    replies.simple("HELP");
    replies.simple("    Prints this help.");
  }
}
