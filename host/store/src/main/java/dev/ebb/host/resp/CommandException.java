package dev.ebb.host.resp;

/** A command that cannot be carried out. The client gets the text, as Redis words it. */
final class CommandException extends Exception {

  private static final long serialVersionUID = 1L;

  static final String SYNTAX = "ERR syntax error";

  CommandException(String reply) {
    super(reply, null, false, false);
  }

  static CommandException syntax() {
    return new CommandException(SYNTAX);
  }

  static CommandException arity(String command) {
    return new CommandException("ERR wrong number of arguments for '" + command + "' command");
  }

  String reply() {
    return String.valueOf(getMessage());
  }
}
