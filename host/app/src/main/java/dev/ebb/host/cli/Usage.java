package dev.ebb.host.cli;

import dev.ebb.host.errors.UserError;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Reports wrong options as picocli does, with the same exit code. */
final class Usage {

  private Usage() {}

  /**
   * Reads the arguments of a command.
   *
   * @throws ParameterException if they are wrong
   */
  static <T extends @Nullable Object> T of(CommandSpec command, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (UserError wrong) {
      throw new ParameterException(
          command.commandLine(), String.join(System.lineSeparator(), wrong.messages()));
    }
  }

  /**
   * Returns an option's value.
   *
   * @throws UserError if it is not allowed
   */
  static long between(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new UserError(
          most == Long.MAX_VALUE
              ? "%s: '%d' must be at least %d".formatted(option, value, least)
              : "%s: '%d' must be %d to %d".formatted(option, value, least, most));
    }
    return value;
  }
}
