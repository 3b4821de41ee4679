package dev.ebb.host.cluster.infinispan;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.DefaultSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encrypted sockets of members, whose handshake has a time limit. The system accepts connections
 * for a paused node, which then does not answer, and what JGroups sends to all nodes waits for it.
 */
final class MemberSockets extends DefaultSocketFactory {

  private static final Logger LOG = LoggerFactory.getLogger(MemberSockets.class);
  private static final int HANDSHAKE_MILLIS = 3_000;

  MemberSockets(SSLContext context) {
    super(context);
    setServerSocketConfigurator(socket -> ((SSLServerSocket) socket).setNeedClientAuth(true));
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
