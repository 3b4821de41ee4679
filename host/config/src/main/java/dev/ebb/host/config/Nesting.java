package dev.ebb.host.config;

import dev.ebb.host.errors.UserError;
import java.util.function.Supplier;

/** Reports HOCON that is nested too deep, which overflows the stack of its library. */
public final class Nesting {

  private Nesting() {}

  /**
   * Reads HOCON.
   *
   * @param where the file or option, for the message
   * @param reading parses, resolves and reads all of it
   * @throws UserError if it is nested too deep
   */
  public static <T> T bounded(String where, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (StackOverflowError endOfStack) {
      throw new UserError(
          where + ": it is nested too deep; use fewer levels of sections, lists and keys");
    }
  }
}
