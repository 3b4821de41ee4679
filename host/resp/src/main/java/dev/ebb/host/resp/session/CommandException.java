package dev.ebb.host.resp.session;

/**
 * Thrown for a command that cannot be executed. The client receives the text, worded as in Redis.
 */
public final class CommandException extends Exception {

  private static final long serialVersionUID = 1L;

  static final String SYNTAX = "ERR syntax error";

  /** Creates a refusal from an error's code, such as {@code ERR}, and text. */
  public CommandException(String reply) {
    super(reply, null, false, false);
  }

  public static CommandException syntax() {
    return new CommandException(SYNTAX);
  }

  public static CommandException arity(String command) {
    return new CommandException("ERR wrong number of arguments for '" + command + "' command");
  }

  public String reply() {
    return String.valueOf(getMessage());
  }
}
