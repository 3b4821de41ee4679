package dev.ebb.server.cli;

import dev.ebb.host.config.engine.EngineConfig;
import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.tls.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of a server with the OpenAI API: address, keys of clients, and TLS. */
public final class ListenOptions {

  private static final int MOST_PORT = 65_535;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "The address to listen on; other than loopback needs --api-key-file")
  private String host;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "8000",
      description = "The port; 0 for any free one")
  private int port;

  @Option(
      names = "--api-key-file",
      paramLabel = "FILE",
      description =
          "A file with the key that clients must send as a bearer token, or lines with a tenant and"
              + " its key; more keys: ebb.engine.tenants")
  private @Nullable Path keyFile;

  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      description = "Serves HTTPS with this certificate and those of its issuers, in PEM format")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The key of the certificate, in PEM format")
  private @Nullable Path certificateKey;

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE",
      description = "Authorities in PEM format; clients must have a certificate of one")
  private @Nullable Path authorities;

  /** Returns the options of the HTTP server, with the keys of the configuration. */
  public HttpOptions http(EngineConfig engine) {
    if (port < 0 || port > MOST_PORT) {
      throw wrong("--port: '%d' must be 0 to %d".formatted(port, MOST_PORT));
    }
    InetAddress address;
    try {
      address = InetAddress.getByName(host);
    } catch (UnknownHostException unknown) {
      throw wrong("--host: '%s' is not an address of this machine".formatted(host));
    }
    Map<String, String> keys = new HashMap<>(engine.apiKeys());
    if (keyFile != null) {
      keys.putAll(ApiKeyFile.read(keyFile));
    }
    if (keys.isEmpty() && !address.isLoopbackAddress()) {
      throw wrong(
          "--host: '%s' is open to other machines; give clients a key with --api-key-file or ebb.engine.tenants, or use 127.0.0.1"
              .formatted(host));
    }
    return new HttpOptions(
        new InetSocketAddress(address, port),
        new AccessTokens(keys),
        tls(),
        new HttpOptions.Names(
            "--port", "--api-key-file or ebb.engine.tenants", "--tls-certificate"));
  }

  private @Nullable TlsFiles tls() {
    if ((certificate == null) != (certificateKey == null)) {
      throw wrong("--tls-certificate and --tls-key need each other; give both or none");
    }
    if (certificate == null && authorities != null) {
      throw wrong(
          "--tls-client-ca: '%s' needs the server's own certificate; add --tls-certificate and --tls-key"
              .formatted(authorities));
    }
    return certificate == null ? null : new TlsFiles(certificate, certificateKey, authorities);
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
