package dev.ebb.host.transfer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections of one kind. Implementations are found with {@link java.util.ServiceLoader};
 * {@code nio}, TCP sockets, is built in.
 */
public interface LinkProvider {

  /** Returns the name that {@link TransferOptions#links} selects. */
  String name();

  /**
   * Listens for connections.
   *
   * @param tls encrypts; null for no encryption
   */
  LinkListener listen(InetSocketAddress address, @Nullable SSLContext tls) throws IOException;

  /**
   * Connects to a peer.
   *
   * @param tls encrypts; null for no encryption
   */
  Link connect(InetSocketAddress peer, Duration timeout, @Nullable SSLContext tls)
      throws IOException;
}
