package dev.ebb.host.transfer;

import dev.ebb.host.transfer.TransferException.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * Frames over a connection. Each has a header with its own checksum, and a body. One thread uses
 * it; {@link LinkWatch} and others only close it.
 */
final class FrameChannel implements AutoCloseable {

  static final byte FETCH = 1;
  static final byte VALUE = 2;
  static final byte PIECE = 3;
  static final byte ABSENT = 4;
  static final byte CHANGED = 5;
  static final byte ERROR = 6;
  static final byte MESSAGE = 7;
  static final byte REPLY = 8;

  static final int HEADER = 24;
  static final int MAX_PIECE = 4 << 20;

  private static final int BUFFER = 8 << 10;
  private static final int FIRST_BODY = 64 << 10;
  private static final long FAR = Long.MAX_VALUE / 4;
  private static final byte[] NONE = {};

  /** The version of the protocol that both sides use, after the handshake. */
  volatile int version;

  private final Link link;
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER).flip();
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER);
  private final CRC32C checksum = new CRC32C();

  private byte type;
  private byte flags;
  private int length;
  private long number;
  private int bodyChecksum;

  private long limitNanos;
  private boolean renewed;
  private boolean limited;
  private long deadline;
  private long lastDeadline;
  private String limit = "";
  private boolean closed;
  private boolean late;

  FrameChannel(Link link) {
    this.link = link;
  }

  String peer() {
    return link.peer();
  }

  boolean usable() {
    return !in.hasRemaining() && link.usable();
  }

  /**
   * Closes the channel after a time, which each byte may start again; false if it is closed
   * already.
   */
  boolean limit(long nanos, boolean renew, String name) {
    return limit(nanos, renew, name, System.nanoTime() + FAR);
  }

  /** Does the same, and closes the channel at a deadline too. */
  synchronized boolean limit(long nanos, boolean renew, String name, long last) {
    limitNanos = nanos;
    renewed = renew;
    limit = name;
    limited = true;
    lastDeadline = last;
    startTime();
    return !closed;
  }

  private void startTime() {
    long next = System.nanoTime() + limitNanos;
    deadline = next - lastDeadline < 0 ? next : lastDeadline;
  }

  synchronized void unlimited() {
    limited = false;
  }

  /** Closes the channel if its time has passed. */
  boolean closeIfLate(long now) {
    synchronized (this) {
      if (closed || !limited || now - deadline < 0) {
        return closed;
      }
      closed = true;
      late = true;
    }
    link.close();
    return true;
  }

  synchronized boolean closed() {
    return closed;
  }

  private synchronized void progressed() {
    if (renewed && limited) {
      startTime();
    }
  }

  private synchronized IOException explained(IOException failure) {
    if (late) {
      return new PeerException(
          Reason.SILENT,
          "%s: no progress within %d ms"
              .formatted(limit, TimeUnit.NANOSECONDS.toMillis(limitNanos)));
    }
    return failure;
  }

  /**
   * Reads the header of the next frame.
   *
   * @return false if the peer closed the connection after a whole frame
   */
  boolean next() throws IOException {
    if (!in.hasRemaining() && fill() < 0) {
      return false;
    }
    while (in.remaining() < HEADER) {
      fillOrCut();
    }
    int start = in.position();
    checksum.reset();
    checksum.update(in.slice(start, HEADER - Integer.BYTES));
    type = in.get();
    flags = in.get();
    short reserved = in.getShort();
    length = in.getInt();
    number = in.getLong();
    bodyChecksum = in.getInt();
    if (in.getInt() != (int) checksum.getValue()) {
      throw new PeerException(Reason.DAMAGED, "frame header checksum mismatch");
    }
    if (length < 0 || reserved != 0) {
      throw new PeerException("a frame has the length '%d'".formatted(length));
    }
    return true;
  }

  byte type() {
    return type;
  }

  byte flags() {
    return flags;
  }

  int length() {
    return length;
  }

  long number() {
    return number;
  }

  PeerException unexpected() {
    return new PeerException("a frame of type '%d' is not expected here".formatted(type));
  }

  /** Reads the body of the frame; its memory grows as the bytes arrive. */
  byte[] body(int most) throws IOException {
    if (length > most) {
      throw new PeerException(
          "a frame of type '%d' has '%d' bytes; at most %d are allowed"
              .formatted(type, length, most));
    }
    byte[] body = new byte[Math.min(length, FIRST_BODY)];
    fill(body, 0);
    while (body.length < length) {
      int filled = body.length;
      body = Arrays.copyOf(body, (int) Math.min(length, 2L * filled));
      fill(body, filled);
    }
    checksum.reset();
    checksum.update(body);
    verify();
    return body;
  }

  /** Reads bytes of the body into memory, and adds them to the checksum. */
  void receive(ByteBuffer target) throws IOException {
    while (target.hasRemaining()) {
      int start = target.position();
      if (in.hasRemaining()) {
        int bytes = Math.min(in.remaining(), target.remaining());
        target.put(in.slice(in.position(), bytes));
        in.position(in.position() + bytes);
      } else if (read(target) < 0) {
        throw cut();
      }
      checksum.update(target.slice(start, target.position() - start));
    }
  }

  void startBody() {
    checksum.reset();
  }

  /** Compares the checksum of the received body. */
  void verify() throws PeerException {
    if ((int) checksum.getValue() != bodyChecksum) {
      throw new PeerException(
          Reason.DAMAGED, "%d bytes at '%d' have another checksum".formatted(length, number));
    }
  }

  /** Reads bytes that are not in a frame. */
  byte[] raw(int bytes) throws IOException {
    byte[] raw = new byte[bytes];
    fill(raw, 0);
    return raw;
  }

  private void fill(byte[] target, int from) throws IOException {
    int filled = from;
    while (filled < target.length) {
      if (!in.hasRemaining()) {
        fillOrCut();
      }
      int bytes = Math.min(in.remaining(), target.length - filled);
      in.get(target, filled, bytes);
      filled += bytes;
    }
  }

  private void fillOrCut() throws IOException {
    if (fill() < 0) {
      throw cut();
    }
  }

  private int fill() throws IOException {
    in.compact();
    try {
      return read(in);
    } finally {
      in.flip();
    }
  }

  private int read(ByteBuffer target) throws IOException {
    try {
      int read = link.read(target);
      progressed();
      return read;
    } catch (IOException failed) {
      throw explained(failed);
    }
  }

  private IOException cut() {
    return explained(new EOFException("the peer closed the connection"));
  }

  /** Writes a frame; it is sent with the next flush or piece, or when the buffer is full. */
  void write(byte frame, int frameFlags, byte[] body) throws IOException {
    checksum.reset();
    checksum.update(body);
    header(frame, frameFlags, body.length, 0);
    writeRaw(body);
  }

  void write(byte frame) throws IOException {
    write(frame, 0, NONE);
  }

  void sendPiece(long offset, ByteBuffer[] bytes, int count) throws IOException {
    checksum.reset();
    int total = 0;
    for (int i = 0; i < count; i++) {
      total += bytes[i].remaining();
      checksum.update(bytes[i].duplicate());
    }
    header(PIECE, 0, total, offset);
    ByteBuffer[] sources = new ByteBuffer[count + 1];
    sources[0] = out.flip();
    System.arraycopy(bytes, 0, sources, 1, count);
    send(sources);
    out.clear();
  }

  private void header(byte frame, int frameFlags, int bytes, long frameNumber) throws IOException {
    if (out.remaining() < HEADER) {
      flush();
    }
    int start = out.position();
    out.put(frame).put((byte) frameFlags).putShort((short) 0).putInt(bytes).putLong(frameNumber);
    out.putInt((int) checksum.getValue());
    checksum.reset();
    checksum.update(out.slice(start, HEADER - Integer.BYTES));
    out.putInt((int) checksum.getValue());
  }

  void writeRaw(byte[] bytes) throws IOException {
    int at = 0;
    while (at < bytes.length) {
      if (!out.hasRemaining()) {
        flush();
      }
      int some = Math.min(out.remaining(), bytes.length - at);
      out.put(bytes, at, some);
      at += some;
    }
  }

  void flush() throws IOException {
    send(new ByteBuffer[] {out.flip()});
    out.clear();
  }

  private void send(ByteBuffer[] sources) throws IOException {
    try {
      while (sources[sources.length - 1].hasRemaining()) {
        link.write(sources);
        progressed();
      }
    } catch (IOException failed) {
      throw explained(failed);
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    link.close();
  }
}
