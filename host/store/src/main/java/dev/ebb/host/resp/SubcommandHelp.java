package dev.ebb.host.resp;

import java.util.List;

/** The reply to HELP after a command with subcommands: the implemented ones. */
enum SubcommandHelp {
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
      "    Return nothing: there are no documentation details."),
  CONFIG(
      "GET <pattern>", "    Return parameters matching the glob-like <pattern> and their values.");

  private final String text;

  SubcommandHelp(String... lines) {
    text = String.join("\n", lines);
  }

  void write(Replies replies) {
    List<String> lines = text.lines().toList();
    replies.array(lines.size() + 3);
    replies.simple(name() + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    lines.forEach(replies::simple);
    replies.simple("HELP");
    replies.simple("    Prints this help.");
  }
}
