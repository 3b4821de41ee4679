package dev.ebb.host.cli.bench;

import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.OptionValues;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.server.ListenConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.tls.TlsFiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a RESP server: its address, password and TLS; by default those configured. */
public final class RespAddress {

  private static final String LOOPBACK = "127.0.0.1";

  @Mixin private ConfigOption config;
  @Mixin private PasswordOptions password;
  @Mixin private RespTls tls;

  @Option(
      names = "--host",
      paramLabel = "NAME",
      showDefaultValue = Help.Visibility.NEVER,
      description =
          "The server's name or address; by default 127.0.0.1, or without --port ebb.server.bind of"
              + " the configuration")
  private @Nullable String host;

  @Option(
      names = "--port",
      converter = OptionValues.Port.class,
      paramLabel = "N",
      showDefaultValue = Help.Visibility.NEVER,
      description = "Its port; by default ebb.server.port of the configuration, 6380")
  private @Nullable Integer port;

  /** Reads the configuration. */
  public LoadedConfig load() {
    return config.load();
  }

  public RespTls tls() {
    return tls;
  }

  public BenchTarget target(long serverPid) {
    if (host == null && port == null) {
      return password.of(configured(serverPid));
    }
    int number = port == null ? configuredPort(config.load().orThrow().server().listen()) : port;
    return password.of(
        tls.of(
            new BenchTarget(
                host == null ? LOOPBACK : host,
                (int) Usage.between("--port", number, 1, 65_535),
                null,
                serverPid,
                null)));
  }

  /** The configured password and certificate are for the configured server only. */
  private BenchTarget configured(long serverPid) {
    ListenConfig listen = config.load().orThrow().server().listen();
    BenchTarget server =
        new BenchTarget(
            ServerAddress.reachable(listen.bind()),
            configuredPort(listen),
            listen.secret(),
            serverPid,
            null);
    TlsFiles files = listen.tls();
    return files == null ? tls.of(server) : tls.of(server, files);
  }

  private static int configuredPort(ListenConfig listen) {
    if (listen.port() == 0) {
      throw new UserError(
          "ebb.server.port = '0' means any free port; use --port with the one that 'ebb serve'"
              + " printed");
    }
    return listen.port();
  }
}
