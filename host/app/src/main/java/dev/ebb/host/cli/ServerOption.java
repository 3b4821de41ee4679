package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.config.AdminConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.UserError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that select a running Ebb. */
final class ServerOption {

  private static final String TOKEN_VARIABLE = "EBB_ADMIN_TOKEN";
  private static final int MAX_TIMEOUT_SECONDS = 3600;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Mixin private ConfigOption config;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The admin address of a running Ebb; by default ebb.admin.bind and ebb.admin.port of the"
              + " configuration, http://127.0.0.1:9090")
  private @Nullable String url;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description =
          "Its token; by default the environment variable EBB_ADMIN_TOKEN, which other"
              + " users of the machine cannot see, or without --url ebb.admin.token")
  private @Nullable String token;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long to wait for an answer; by default 10")
  private int timeout;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ServerOption() {}

  boolean isGiven() {
    return url != null;
  }

  LoadedConfig load() {
    return config.load();
  }

  AdminClient open() {
    if (timeout < 1 || timeout > MAX_TIMEOUT_SECONDS) {
      throw wrong("--timeout: '%d' must be 1 to %d".formatted(timeout, MAX_TIMEOUT_SECONDS));
    }
    return new AdminClient(address(), Duration.ofSeconds(timeout));
  }

  /** Returns the address; the configured token is for the configured server only. */
  private ServerAddress address() {
    String shown = token != null ? token : System.getenv(TOKEN_VARIABLE);
    if (url != null) {
      return named(url).with(shown);
    }
    AdminConfig admin = config.load().orThrow().admin();
    return ServerAddress.configured(admin.bind(), admin.port())
        .with(shown != null ? shown : admin.token());
  }

  private ServerAddress named(String text) {
    try {
      return ServerAddress.parse(text);
    } catch (UserError error) {
      throw wrong("--url: " + error.getMessage());
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
