package dev.ebb.host.cli.options;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.TimeSpan;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Reports wrong options as picocli does, with the same exit code. */
public final class Usage {

  public static final String HEAP_TOO_SMALL =
      "the heap of %d MiB is too small for this; give more with EBB_JAVA_OPTS=-Xmx8g, or ask for less: --limit, fewer --jobs, smaller capacities, fewer --tenants, --documents or --objects"
          .formatted(Runtime.getRuntime().maxMemory() >> 20);

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

  /** Refuses arguments that are given; the message is made from the name of the first. */
  public static void refuse(
      CommandSpec command, Predicate<String> refused, Function<String, String> message) {
    given(command)
        .filter(refused)
        .findFirst()
        .ifPresent(name -> {
          throw new UserError(message.apply(name));
        });
  }

  /** Returns the names of the arguments that are given. */
  public static Stream<String> given(CommandSpec command) {
    return command.commandLine().getParseResult().matchedArgs().stream()
        .map(arg -> arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel());
  }

  /** Returns the file of an option. */
  public static Path file(String option, String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new UserError("%s: '%s' is not a path; name a file".formatted(option, text));
    }
  }

  /** Returns an option's value, or another if it is not given. */
  public static long atLeastOne(String option, @Nullable Number value, long otherwise) {
    return value == null ? otherwise : between(option, value.longValue(), 1, Long.MAX_VALUE);
  }

  /** Returns an option's value, which must be above 0. */
  public static double positive(String option, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new UserError("%s: '%s' must be a number above 0".formatted(option, value));
    }
    return value;
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
