package dev.ebb.host.cluster.directory;

import dev.ebb.host.config.ClusterConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tls.ServerTls;
import dev.ebb.host.tls.TlsFiles;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.SocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS between nodes. Both sides of a connection prove who they are: with certificates, or with the
 * key that they make from their secret.
 */
public final class NodeTls implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NodeTls.class);
  private static final int HANDSHAKE_MILLIS = 3_000;

  private final SSLContext context;
  private final @Nullable ServerTls files;

  private NodeTls(SSLContext context, @Nullable ServerTls files) {
    this.context = context;
    this.files = files;
  }

  /**
   * Reads the files, or makes the key.
   *
   * @return null if there are neither certificates nor a secret
   * @throws UserError if a file cannot be used
   */
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

  /** Returns the sockets of members. */
  SocketFactory sockets() {
    DefaultSocketFactory sockets = new HandshakeLimit(context);
    sockets.setServerSocketConfigurator(
        socket -> ((SSLServerSocket) socket).setNeedClientAuth(true));
    return sockets;
  }

  @Override
  public void close() {
    if (files != null) {
      files.close();
    }
  }

  /**
   * Sockets whose handshake has a time limit. The system accepts connections for a paused node,
   * which then does not answer, and what JGroups sends to all nodes waits for it.
   */
  private static final class HandshakeLimit extends DefaultSocketFactory {

    HandshakeLimit(SSLContext context) {
      super(context);
    }

    @Override
    public Socket createSocket(String service) throws IOException {
      SSLSocket socket = (SSLSocket) super.createSocket(service);
      socket.setSoTimeout(HANDSHAKE_MILLIS);
      socket.addHandshakeCompletedListener(done -> {
        try {
          done.getSocket().setSoTimeout(0);
        } catch (SocketException closed) {
          LOG.debug("connection closed after its handshake", closed);
        }
      });
      return socket;
    }
  }
}
