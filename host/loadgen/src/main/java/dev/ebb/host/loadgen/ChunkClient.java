package dev.ebb.host.loadgen;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A connection that stores and reads chunks as LMCache does: under one key, or under two, one for
 * the bytes of K and V and one for a small description of them. Blocks until the server replies.
 */
public final class ChunkClient implements AutoCloseable {

  private static final int BUFFER = 256 << 10;
  private static final int HEADROOM = 512;

  /** Questions that are sent before the replies are read. */
  private static final int IN_FLIGHT = 128;

  private static final byte[] END = {'\r', '\n'};

  private final RespClient client;
  private final Format format;
  private final Values values;
  private final Values metadata;
  private final ReplyReader valueReplies;
  private final ReplyReader metadataReplies;
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER);
  private final ByteBuffer pattern;
  private String error = "";

  /** Connects to a server. */
  public ChunkClient(BenchTarget target, Format format, Values values, Values metadata) {
    this(new RespClient(target), format, values, metadata);
  }

  /** Returns a client for other objects of the chunks, on the same connection: one at a time. */
  public ChunkClient of(Format objects, Values theirs) {
    return new ChunkClient(client, objects, theirs, theirs);
  }

  private ChunkClient(RespClient client, Format format, Values values, Values metadata) {
    this.client = client;
    this.format = format;
    this.values = values;
    this.metadata = metadata;
    valueReplies = new ReplyReader(values, true);
    metadataReplies = new ReplyReader(metadata, true);
    pattern = values.pattern();
  }

  /** Returns whether a chunk can be read, as its metadata says if it has any. */
  public boolean exists(long id) throws IOException {
    command("EXISTS", id, format.hasMetadata() ? format.metadata() : format.value());
    return number() == 1;
  }

  /** Asks for the values of a chunk; {@link #readChunk} has the replies, in the same order. */
  public void get(long id) throws IOException {
    if (format.hasMetadata()) {
      command("GET", id, format.metadata());
    }
    command("GET", id, format.value());
  }

  /** Returns the reply to {@link #get}: VALUE only if all values exist and are right. */
  public RequestOutcome readChunk(long id) throws IOException {
    RequestOutcome first = format.hasMetadata() ? reply(metadataReplies, id) : RequestOutcome.VALUE;
    RequestOutcome second = reply(valueReplies, id);
    return first == RequestOutcome.VALUE ? second : first;
  }

  /** Stores the values of a chunk; {@link #stored} has the replies. */
  public void set(long id) throws IOException {
    value(values, id, format.value());
    if (format.hasMetadata()) {
      value(metadata, id, format.metadata());
    }
  }

  /** Returns whether the server accepted all values of one {@link #set}. */
  public boolean stored() throws IOException {
    boolean first = !format.hasMetadata() || reply(metadataReplies, 0) == RequestOutcome.DONE;
    boolean second = reply(valueReplies, 0) == RequestOutcome.DONE;
    return first && second;
  }

  /** Returns the sizes of chunks, 0 for those that do not exist. Asking is not a use of them. */
  public long[] lengths(long... ids) throws IOException {
    long[] lengths = new long[ids.length];
    for (int from = 0; from < ids.length; from += IN_FLIGHT) {
      int end = Math.min(ids.length, from + IN_FLIGHT);
      for (int i = from; i < end; i++) {
        command("STRLEN", ids[i], format.value());
      }
      for (int i = from; i < end; i++) {
        lengths[i] = number();
      }
    }
    return lengths;
  }

  /** Returns the last error reply. */
  public String error() {
    return error;
  }

  /** Returns when the server sent something last. */
  public long repliedNanos() {
    return client.repliedNanos();
  }

  private long number() throws IOException {
    if (reply(valueReplies, 0) == RequestOutcome.ERROR) {
      throw new IOException("the server answers '%s'".formatted(error));
    }
    return Long.parseLong(valueReplies.text());
  }

  private RequestOutcome reply(ReplyReader reader, long id) throws IOException {
    flush();
    RequestOutcome outcome = client.reply(reader, id);
    if (outcome == RequestOutcome.ERROR) {
      error = reader.text();
    }
    return outcome;
  }

  private void command(String name, long id, String keyFormat) throws IOException {
    begin("*2\r\n$%d\r\n%s\r\n".formatted(name.length(), name), id, keyFormat);
  }

  private void value(Values of, long id, String keyFormat) throws IOException {
    int size = of.size(id);
    begin("*3\r\n$3\r\nSET\r\n", id, keyFormat);
    text("$%d\r\n".formatted(size));
    if (size > BUFFER - HEADROOM) {
      large(id, size);
    } else {
      if (out.remaining() < size + END.length) {
        flush();
      }
      of.put(id, out);
    }
    out.put(END);
  }

  /** Sends a value from its pattern, without a copy. */
  private void large(long id, int size) throws IOException {
    out.putLong(values.hash(id));
    flush();
    for (int place = Values.HEAD; place < size; ) {
      int start = values.start(id, place);
      int piece = values.piece(id, place, size - place);
      client.write(pattern.limit(start + piece).position(start));
      place += piece;
    }
  }

  private void begin(String words, long id, String keyFormat) throws IOException {
    if (out.remaining() < HEADROOM) {
      flush();
    }
    String key = keyFormat.formatted(id);
    text(words);
    text("$%d\r\n%s\r\n".formatted(key.length(), key));
  }

  private void text(String ascii) {
    out.put(RespClient.ascii(ascii));
  }

  private void flush() throws IOException {
    client.write(out.flip());
    out.clear();
  }

  @Override
  public void close() {
    client.close();
  }

  /**
   * The keys of a chunk.
   *
   * @param value the format of the key of its bytes
   * @param metadata the format of the key of their description; empty if they have none
   */
  public record Format(String value, String metadata) {

    /** Returns the keys of LMCache's Redis connector, of values in 16 bits. */
    public static Format pair(int rank, int world) {
      String stem = "trace@%d@%d@%%016x@half".formatted(world, rank);
      return new Format(stem + "kv_bytes", stem + "metadata");
    }

    /**
     * Returns the keys of LMCache's native client in multiprocess mode, of the first object group.
     */
    public static Format single(int rank, int world) {
      return ofGroup(rank, world, 0);
    }

    /** Returns the keys of LMCache's native client in multiprocess mode, of an object group. */
    public static Format ofGroup(int rank, int world, int group) {
      return new Format(
          "trace@%02x%02x%02x%02x@%x@%%016x".formatted(world, rank, world, rank, group), "");
    }

    boolean hasMetadata() {
      return !metadata.isEmpty();
    }
  }
}
