package dev.ebb.host.cli;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchTarget;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options {@code --host}, {@code --port}, {@code --user} and {@code --password} of a RESP
 * server.
 */
final class RespAddress {

  @Option(
      names = "--host",
      paramLabel = "NAME",
      defaultValue = "127.0.0.1",
      description = "The server's name or address")
  private String host;

  @Option(
      names = "--port",
      converter = OptionValues.Port.class,
      paramLabel = "N",
      defaultValue = "6380",
      description = "Its port")
  private int port;

  @Option(names = "--user", paramLabel = "NAME", description = "The user of --password")
  private @Nullable String user;

  @Option(names = "--password", paramLabel = "TEXT", description = "Its password")
  private @Nullable String password;

  BenchTarget target(long serverPid) {
    if (user != null && password == null) {
      throw new UserError("--user '%s' needs --password; add it".formatted(user));
    }
    return new BenchTarget(
        host, (int) Usage.between("--port", port, 1, 65_535), user, password, serverPid, null);
  }
}
