package dev.ebb.host.cli.options;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.TimeSpan;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Reports wrong options as picocli does, with the same exit code. */
public final class Usage {

  private Usage() {}

  /**
   * Reads the arguments of a command.
   *
   * @throws ParameterException if they are wrong
   */
  public static <T extends @Nullable Object> T of(CommandSpec command, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (UserError wrong) {
      throw new ParameterException(
          command.commandLine(), String.join(System.lineSeparator(), wrong.messages()));
    }
  }

  /**
   * Reads an option whose type reports mistakes without the option's name.
   *
   * @throws UserError with the name, if the value is wrong
   */
  public static <T> T named(String option, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (UserError wrong) {
      throw new UserError(
          wrong.messages().stream().map(message -> option + ": " + message).toList());
    }
  }

  /**
   * Returns an option's duration.
   *
   * @param text as {@link TimeSpan#parseOrSeconds} takes it
   * @throws UserError if it is not a duration between the limits
   */
  public static Duration time(String option, String text, Duration least, Duration most) {
    return TimeSpan.parseOrSeconds(text)
        .filter(time -> time.compareTo(least) >= 0 && time.compareTo(most) <= 0)
        .orElseThrow(() ->
            new UserError(
                "%s: '%s' must be a duration from %s to %s, such as 30s, 5m or a number of seconds"
                    .formatted(option, text, TimeSpan.exact(least), TimeSpan.exact(most))));
  }

  /**
   * Returns an option's value.
   *
   * @throws UserError if it is not allowed
   */
  public static double atLeast(String option, double value, long least) {
    if (!(value >= least) || Double.isInfinite(value)) {
      throw new UserError("%s: '%s' must be at least %d".formatted(option, value, least));
    }
    return value;
  }

  /**
   * Returns an option's value.
   *
   * @throws UserError if it is not allowed
   */
  public static long between(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new UserError(
          most == Long.MAX_VALUE
              ? "%s: '%d' must be at least %d".formatted(option, value, least)
              : "%s: '%d' must be %d to %d".formatted(option, value, least, most));
    }
    return value;
  }
}
