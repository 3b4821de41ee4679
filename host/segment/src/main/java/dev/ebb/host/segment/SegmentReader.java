package dev.ebb.host.segment;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/** Reads a segment, front to back. For one thread. */
public final class SegmentReader implements AutoCloseable {

  private static final int CHUNK = 1 << 20;

  private final Path file;
  private final FileChannel channel;
  private final SegmentHeader header;
  private final CRC32C checksum = new CRC32C();
  private long read;

  /**
   * Opens a file and checks its header.
   *
   * @param file its path
   * @throws IOException if it cannot be read
   * @throws UserError if it is not a segment, with every field of the header that is wrong
   */
  public SegmentReader(Path file) throws IOException {
    this.file = file;
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new UserError("'%s' is a folder or a device; name a file".formatted(file));
    }
    channel = FileChannel.open(file, StandardOpenOption.READ);
    boolean opened = false;
    try {
      ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
      header = SegmentHeader.decode(bytes.flip(), channel.size());
      opened = true;
    } catch (UserError damaged) {
      throw damaged.at(file.toString());
    } finally {
      if (!opened) {
        channel.close();
      }
    }
  }

  /** Returns the header. */
  public SegmentHeader header() {
    return header;
  }

  /**
   * Reads the table of the objects of a chunk, which is the start of its payload. To be called
   * before {@link #read}, once.
   *
   * @return the objects in the order of their bytes; empty if the segment is not that of a chunk
   * @throws IOException if the file cannot be read
   * @throws UserError if the table is damaged
   */
  public List<SegmentObject> objects() throws IOException {
    if (header.objects() == 0) {
      return List.of();
    }
    ByteBuffer table = ByteBuffer.allocate(header.objects() * SegmentObject.BYTES);
    read(table);
    table.flip();
    CRC32C sum = new CRC32C();
    sum.update(table.duplicate());
    try {
      long expected = Integer.toUnsignedLong(header.tableChecksum());
      if (sum.getValue() != expected) {
        throw new UserError(
            HeaderField.TABLE_CHECKSUM.wrong(
                    SegmentHeader.hex(expected),
                    SegmentHeader.hex(sum.getValue()) + " for this table")
                + "; the payload is damaged: restore the file, or save it again");
      }
      return SegmentObject.read(table, header.payloadBytes());
    } catch (UserError damaged) {
      throw damaged.at(file.toString());
    }
  }

  /**
   * Reads the next bytes of the payload. Direct buffers are read into without a copy. The bytes are
   * not to be trusted before {@link #verify}.
   *
   * @param targets filled up to their limits, in order
   * @throws IOException if the file cannot be read
   * @throws UserError if the file has become shorter
   * @throws IllegalArgumentException if these are more than the rest of the payload
   */
  public void read(ByteBuffer... targets) throws IOException {
    long wanted = 0;
    ByteBuffer[] filled = new ByteBuffer[targets.length];
    for (int i = 0; i < targets.length; i++) {
      wanted += targets[i].remaining();
      filled[i] = targets[i].duplicate();
    }
    if (wanted > header.payloadBytes() - read) {
      throw new IllegalArgumentException(
          "'%d' bytes are more than the %d that are left"
              .formatted(wanted, header.payloadBytes() - read));
    }
    for (int first = 0; first < targets.length; ) {
      if (targets[first].hasRemaining()
          && channel.read(targets, first, targets.length - first) < 0) {
        throw new UserError(
            "%s: the file has become shorter than the '%d' bytes of its payload"
                .formatted(file, header.payloadBytes()));
      }
      while (first < targets.length && !targets[first].hasRemaining()) {
        first++;
      }
    }
    for (ByteBuffer each : filled) {
      checksum.update(each);
    }
    read += wanted;
  }

  /**
   * Reads the rest of the payload and checks all of it.
   *
   * @param progress receives the number of bytes read so far
   * @throws IOException if the file cannot be read
   * @throws UserError if its checksum is wrong
   */
  public void verify(LongConsumer progress) throws IOException {
    long left = header.payloadBytes() - read;
    ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(CHUNK, left));
    while (read < header.payloadBytes()) {
      chunk.clear().limit((int) Math.min(chunk.capacity(), header.payloadBytes() - read));
      read(chunk);
      progress.accept(read);
    }
    long expected = Integer.toUnsignedLong(header.payloadChecksum());
    if (checksum.getValue() != expected) {
      throw new UserError(
              HeaderField.PAYLOAD_CHECKSUM.wrong(
                      SegmentHeader.hex(expected),
                      SegmentHeader.hex(checksum.getValue()) + " for this payload")
                  + "; the payload is damaged: restore the file, or save it again")
          .at(file.toString());
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
