package dev.ebb.host.cluster.directory;

import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.tls.ServerTls;
import dev.ebb.host.tls.TlsFiles;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * TLS between nodes. Both sides of a connection prove who they are: with certificates, or with the
 * key that they make from their secret.
 */
public final class NodeTls implements AutoCloseable {

  private final SSLContext context;
  private final @Nullable ServerTls files;

  private NodeTls(SSLContext context, @Nullable ServerTls files) {
    this.context = context;
    this.files = files;
  }

  /** Returns null if there are neither certificates nor a secret. */
  public static @Nullable NodeTls open(ClusterConfig config) {
    TlsFiles files = config.tls();
    if (files != null) {
      ServerTls tls = ServerTls.open(files, "ebb.cluster.tls");
      return new NodeTls(tls.context(), tls);
    }
    String secret = config.listen().secret();
    return secret == null
        ? null
        : new NodeTls(SharedSecretTls.context(secret, config.name()), null);
  }

  /** Returns the context, which always uses the latest files. */
  public SSLContext context() {
    return context;
  }

  @Override
  public void close() {
    if (files != null) {
      files.close();
    }
  }
}
