package dev.ebb.host.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A connection to another node: two streams of bytes. One thread reads, one writes; any thread may
 * close it, and reads and writes then end with an exception.
 */
public interface Link extends Closeable {

  /**
   * Receives at least one byte.
   *
   * @return how many bytes; -1 if the peer has closed the connection
   */
  int read(ByteBuffer target) throws IOException;

  /** Sends some bytes of the buffers, in their order, and moves their positions. */
  void write(ByteBuffer[] sources) throws IOException;

  /** Returns whether an unused connection is still open, with nothing to read. */
  boolean usable();

  /** Returns the address of the peer, for messages. */
  String peer();

  @Override
  void close();
}
