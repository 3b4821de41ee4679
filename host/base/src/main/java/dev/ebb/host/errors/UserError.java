package dev.ebb.host.errors;

import java.util.List;

/**
 * A mistake of the user, who can fix it. It is shown as it is, without a stack trace. Several
 * mistakes found together are reported together.
 */
public class UserError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String[] messages;

  /** Creates an error: the wrong value in quotes, what is allowed, what to do. */
  public UserError(String message) {
    this(List.of(message));
  }

  /** Creates an error with several mistakes, one line each. */
  public UserError(List<String> messages) {
    super(String.join(System.lineSeparator(), messages), null, false, false);
    if (messages.isEmpty()) {
      throw new IllegalArgumentException("messages is empty");
    }
    this.messages = messages.toArray(String[]::new);
  }

  /** Throws all mistakes that were collected, if there are any. */
  public static void throwIfAny(List<String> messages) {
    if (!messages.isEmpty()) {
      throw new UserError(messages);
    }
  }

  /** Returns the same mistakes with their place: a file and line, or an option. */
  public UserError at(String where) {
    return new UserError(messages().stream().map(message -> where + ": " + message).toList());
  }

  /** Returns a line for each mistake, at least one. */
  public List<String> messages() {
    return List.of(messages);
  }
}
