package dev.ebb.host.engine.tier;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of an offloaded sequence, sent or received front to back, in the values of a server.
 */
public final class OffloadStream {

  /** After it, a value that nobody has read is removed. */
  private static final int LIFETIME_SECONDS = 600;

  private static final byte[] EXPIRY =
      RemoteConnection.ascii(
          "\r\n$2\r\nEX\r\n$%d\r\n%d\r\n"
              .formatted(String.valueOf(LIFETIME_SECONDS).length(), LIFETIME_SECONDS));

  private final RemoteConnection connection;
  private final OffloadedSequence sequence;
  private long done;
  private int part;
  private long partEnd;

  public OffloadStream(RemoteConnection connection, OffloadedSequence sequence) {
    this.connection = connection;
    this.sequence = sequence;
  }

  /** Sends the next bytes. */
  public void write(ByteBuffer... pieces) throws IOException {
    List<ByteBuffer> sent = new ArrayList<>();
    for (ByteBuffer piece : pieces) {
      while (piece.hasRemaining()) {
        if (done == partEnd) {
          long bytes = beginPart();
          sent.add(RemoteConnection.command(5, "SET", sequence.key(part++)));
          sent.add(ByteBuffer.wrap(RemoteConnection.ascii("$%d\r\n".formatted(bytes))));
        }
        sent.add(next(piece));
        if (done == partEnd) {
          sent.add(ByteBuffer.wrap(EXPIRY));
        }
      }
    }
    connection.write(sent.toArray(ByteBuffer[]::new));
  }

  /** Waits until the server has stored all bytes; fails if it has no room for them. */
  public void stored() throws IOException {
    byte[][] keys = sequence.keys();
    // A server that is full may reply with +OK and store nothing.
    connection.write(RemoteConnection.command(1 + keys.length, "EXISTS", keys));
    for (int i = 0; i < keys.length; i++) {
      String reply = connection.line();
      if (!reply.equals("+OK")) {
        throw RemoteConnection.unexpected(reply);
      }
    }
    if (connection.number() != keys.length) {
      throw new IOException("the server has no room");
    }
  }

  /** Receives the next bytes. */
  public void read(ByteBuffer... targets) throws IOException {
    List<ByteBuffer> filled = new ArrayList<>();
    for (ByteBuffer target : targets) {
      while (target.hasRemaining()) {
        if (done == partEnd) {
          connection.read(filled.toArray(ByteBuffer[]::new));
          filled.clear();
          request();
        }
        filled.add(next(target));
      }
    }
    connection.read(filled.toArray(ByteBuffer[]::new));
  }

  private void request() throws IOException {
    if (part > 0) {
      connection.line();
    }
    connection.write(RemoteConnection.command(2, "GET", sequence.key(part++)));
    long bytes = connection.number();
    if (bytes != beginPart()) {
      throw new IOException(
          bytes < 0 ? "the server has evicted it" : "a value has '%d' bytes".formatted(bytes));
    }
  }

  private long beginPart() {
    long bytes = sequence.part(done);
    partEnd = done + bytes;
    return bytes;
  }

  /** Returns the bytes of a piece that are in this part, and passes them over. */
  private ByteBuffer next(ByteBuffer piece) {
    int length = (int) Math.min(piece.remaining(), partEnd - done);
    ByteBuffer bytes = piece.slice(piece.position(), length);
    piece.position(piece.position() + length);
    done += length;
    return bytes;
  }
}
