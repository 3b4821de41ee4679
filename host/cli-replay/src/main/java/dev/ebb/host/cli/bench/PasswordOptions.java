package dev.ebb.host.cli.bench;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --user}, {@code --password} and {@code --password-file} of a RESP server. */
public final class PasswordOptions {

  /** The variable that holds the password if no option does. */
  private static final String VARIABLE = "EBB_PASSWORD";

  @Option(names = "--user", paramLabel = "NAME", description = "The user of the password")
  private @Nullable String user;

  @Option(
      names = "--password",
      paramLabel = "TEXT",
      description =
          "The password, visible to other users of this machine. --password-file and the"
              + " environment variable EBB_PASSWORD are not")
  private @Nullable String password;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "A file with the password in its first line")
  private @Nullable Path file;

  /** Returns the server with the password of these options, or else of the environment. */
  public BenchTarget of(BenchTarget server) {
    String secret = secret();
    if (user != null && secret == null) {
      throw new UserError(
          "--user '%s' needs a password; add --password-file, or set %s".formatted(user, VARIABLE));
    }
    return secret == null ? server : server.with(user, secret);
  }

  private @Nullable String secret() {
    if (password != null && file != null) {
      throw new UserError("--password and --password-file exclude each other; give one of them");
    }
    if (password != null) {
      return password;
    }
    return file == null ? variable() : firstLine(file);
  }

  private static @Nullable String variable() {
    String value = System.getenv(VARIABLE);
    return value == null || value.isEmpty() ? null : value;
  }

  private static String firstLine(Path file) {
    try {
      return Files.readString(file)
          .lines()
          .findFirst()
          .filter(line -> !line.isEmpty())
          .orElseThrow(() ->
              new UserError(
                  "--password-file: the first line of '%s' is empty; write the password into it"
                      .formatted(file)));
    } catch (IOException unreadable) {
      throw new UserError(
          "--password-file: '%s' cannot be read; name a file with the password in its first line"
              .formatted(file));
    }
  }
}
