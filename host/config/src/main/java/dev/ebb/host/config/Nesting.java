package dev.ebb.host.config;

import dev.ebb.host.errors.UserError;
import java.util.function.Supplier;

/** Tells of HOCON that is nested too deep: its library follows it with the stack, which ends. */
public final class Nesting {

  private Nesting() {}

  /**
   * Reads HOCON.
   *
   * @param where the file or option, for the message
   * @param reading parses, resolves and looks at all of it
   * @param <T> what is read
   * @return what was read
   * @throws UserError if it is nested too deep
   */
  public static <T> T bounded(String where, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (StackOverflowError endOfStack) {
      throw new UserError(where + ": nested too deep; give sections, lists and keys fewer levels");
    }
  }
}
