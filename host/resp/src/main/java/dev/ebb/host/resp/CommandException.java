package dev.ebb.host.resp;

/**
 * Thrown for a command that cannot be executed. The client receives the text, worded as in Redis.
 */
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
