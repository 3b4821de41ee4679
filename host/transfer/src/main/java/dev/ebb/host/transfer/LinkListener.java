package dev.ebb.host.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Accepts connections of other nodes. */
public interface LinkListener extends Closeable {

  /** Waits for a connection. */
  Link accept() throws IOException;

  /** Returns the address, with the port in use. */
  InetSocketAddress address();

  @Override
  void close();
}
