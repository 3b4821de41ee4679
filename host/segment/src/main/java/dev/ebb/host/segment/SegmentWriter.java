package dev.ebb.host.segment;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.PartFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes a segment. It has another name until it is committed, so that a failure leaves no partial
 * file and keeps an existing one. For one thread.
 */
public final class SegmentWriter implements AutoCloseable {

  private final PartFile part;
  private final FileChannel channel;
  private final SegmentHeader header;
  private final CRC32C checksum = new CRC32C();
  private long written;

  private SegmentWriter(Path file, SegmentHeader header) throws IOException {
    this.header = header;
    Path target = PartFile.target(file);
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      throw new UserError("'%s' is a folder or a device; name a file".formatted(file));
    }
    part = new PartFile(file);
    FileChannel opened = null;
    try {
      opened =
          FileChannel.open(
              part.path(),
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
      channel = opened;
      channel.position(SegmentHeader.BYTES);
    } catch (Throwable failed) {
      try (part) {
        if (opened != null) {
          opened.close();
        }
      }
      throw failed;
    }
  }

  /**
   * Creates the file of a sequence.
   *
   * @param file its path; replaced if it exists
   * @param shape the shape of the K and V
   * @throws IOException if it cannot be created
   * @throws UserError if the path is not that of a regular file
   */
  public static SegmentWriter ofSequence(Path file, SegmentHeader.Shape shape) throws IOException {
    return new SegmentWriter(file, SegmentHeader.of(shape));
  }

  /**
   * Creates the file of a client's value.
   *
   * @param file its path; replaced if it exists
   * @param bytes the size of the value
   * @throws IOException if it cannot be created
   * @throws UserError if the path is not that of a regular file
   */
  public static SegmentWriter ofValue(Path file, long bytes) throws IOException {
    return new SegmentWriter(file, SegmentHeader.ofValue(bytes));
  }

  /**
   * Creates the file of the objects of a chunk, whose bytes are written in the same order.
   *
   * @param file its path; replaced if it exists
   * @param objects at least one
   * @throws IOException if it cannot be created
   * @throws UserError if the path is not that of a regular file
   */
  public static SegmentWriter ofChunk(Path file, List<SegmentObject> objects) throws IOException {
    SegmentWriter writer = new SegmentWriter(file, SegmentHeader.ofChunk(objects));
    writer.write(SegmentObject.table(objects));
    return writer;
  }

  /**
   * Writes the next bytes of the payload. Direct buffers are written without a copy.
   *
   * @param pieces their remaining bytes are written, in order
   * @throws IOException if the disk is full, or for another reason
   * @throws IllegalArgumentException if these are more than the payload
   */
  public void write(ByteBuffer... pieces) throws IOException {
    for (ByteBuffer piece : pieces) {
      written += piece.remaining();
      checksum.update(piece.duplicate());
    }
    if (written > header.payloadBytes()) {
      throw new IllegalArgumentException(
          "'%d' bytes are more than the payload's %d".formatted(written, header.payloadBytes()));
    }
    for (int first = 0; first < pieces.length; ) {
      channel.write(pieces, first, pieces.length - first);
      while (first < pieces.length && !pieces[first].hasRemaining()) {
        first++;
      }
    }
  }

  /**
   * Writes the header, waits until the disk has all, and gives the file its name.
   *
   * @throws IOException if that fails
   * @throws IllegalStateException if bytes are missing
   */
  public void commit() throws IOException {
    if (written != header.payloadBytes()) {
      throw new IllegalStateException(
          "'%d' of %d bytes are written".formatted(written, header.payloadBytes()));
    }
    ByteBuffer bytes = header.withPayloadChecksum((int) checksum.getValue()).encode();
    for (long at = 0; bytes.hasRemaining(); ) {
      at += channel.write(bytes, at);
    }
    channel.force(true);
    channel.close();
    part.commit();
  }

  /** Deletes the file if it was not committed. */
  @Override
  public void close() throws IOException {
    try (part) {
      channel.close();
    }
  }
}
