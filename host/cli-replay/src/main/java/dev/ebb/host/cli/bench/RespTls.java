package dev.ebb.host.cli.bench;

import dev.ebb.host.cli.options.TlsOptions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.tls.TlsFiles;
import picocli.CommandLine.Option;

/** The option {@code --tls} of a command that connects to a RESP server, and the files for it. */
public final class RespTls extends TlsOptions {

  @Option(names = "--tls", description = "Connects with TLS")
  private boolean wanted;

  /** Returns the server, with TLS if it is wanted. */
  public BenchTarget of(BenchTarget server) {
    if (!wanted && given()) {
      throw new UserError("--cacert, --cert and --key are for TLS: add --tls");
    }
    return wanted ? server.with(files().client()) : server;
  }

  /** Returns the configured server, with TLS if it has a certificate. */
  public BenchTarget of(BenchTarget server, TlsFiles configured) {
    return configured.certificate() == null ? of(server) : server.with(trusting(configured));
  }
}
