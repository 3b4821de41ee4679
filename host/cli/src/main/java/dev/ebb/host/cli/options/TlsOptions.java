package dev.ebb.host.cli.options;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.tls.TlsFiles;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files of a client for TLS, named as for curl and redis-cli. */
public class TlsOptions {

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      description =
          "With TLS: PEM file with the authorities that may certify the server; by default those of"
              + " the JDK")
  private @Nullable Path authorities;

  @Option(
      names = "--cert",
      paramLabel = "FILE",
      description = "With TLS: PEM file with a certificate, for servers that need one of clients")
  private @Nullable Path certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "With TLS: PEM file with the private key of --cert")
  private @Nullable Path key;

  public boolean given() {
    return authorities != null || certificate != null || key != null;
  }

  /** Returns a context for the configured server: it trusts its certificate, or --cacert. */
  public SSLContext trusting(TlsFiles server) {
    Path trusted = server.certificate();
    return authorities != null || trusted == null ? files().client() : files().clientOf(trusted);
  }

  public TlsFiles files() {
    if ((certificate == null) != (key == null)) {
      throw new UserError("--cert and --key need each other: name both, or none");
    }
    return new TlsFiles(certificate, key, authorities);
  }
}
