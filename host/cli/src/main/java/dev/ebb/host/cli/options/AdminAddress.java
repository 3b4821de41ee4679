package dev.ebb.host.cli.options;

import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.server.ListenConfig;
import dev.ebb.host.tls.TlsFiles;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * An admin server, and whom a command trusts there.
 *
 * @param context the certificates; null for a connection without TLS
 */
public record AdminAddress(ServerAddress address, @Nullable SSLContext context) {

  private static final String VARIABLE = "EBB_ADMIN_TOKEN";

  /**
   * Returns the server of an option.
   *
   * @param token null for that of the environment
   * @throws dev.ebb.host.errors.UserError if the token or a file is wrong
   */
  public static AdminAddress named(
      ServerAddress address, @Nullable String token, Supplier<TlsFiles> files) {
    return new AdminAddress(
        address.with(given(token)), address.encrypted() ? files.get().client() : null);
  }

  /**
   * Returns the configured server. Only it gets the configured token.
   *
   * @param token null for that of the environment, or else of the configuration
   */
  public static AdminAddress configured(
      LoadedConfig config, @Nullable String token, TlsOptions tls) {
    ListenConfig admin = config.orThrow().admin().listen();
    TlsFiles files = admin.tls();
    String given = given(token);
    ServerAddress address =
        ServerAddress.configured(admin.bind(), admin.port(), files != null)
            .with(given != null ? given : admin.secret());
    return new AdminAddress(address, files == null ? null : tls.trusting(files));
  }

  private static @Nullable String given(@Nullable String token) {
    return token != null ? token : System.getenv(VARIABLE);
  }
}
