package dev.ebb.host.cli;

import dev.ebb.host.errors.UserError;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What is wrong with an option is told as picocli tells it, with the same exit code. */
final class Usage {

  private Usage() {}

  /**
   * Reads what a command was given.
   *
   * @param command whose usage the message points to
   * @throws ParameterException if it is wrong
   */
  static <T extends @Nullable Object> T of(CommandSpec command, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (UserError wrong) {
      throw new ParameterException(
          command.commandLine(), String.join(System.lineSeparator(), wrong.messages()));
    }
  }
}
