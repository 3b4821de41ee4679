package dev.ebb.host.disk.format;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The memory of a region that is being filled. Filled under the lock of the writer, written by its
 * thread. Readers may copy from it at any time: what they copied is valid if its generation is
 * still the same afterwards.
 */
public final class RegionBuffer implements AutoCloseable {

  private static final int MOST_WRITTEN = 4 << 20;

  private final AlignedBuffer memory;
  private final RecordFormat format;
  private final RegionFooter footer = new RegionFooter();

  /** That of its records; 0 if it is free. */
  private volatile long generation;

  private long seed;
  private int filled;
  private int written;

  /** Places the bytes of a record. */
  public interface Body {

    /** Fills the buffer, which has as many bytes remaining as were announced. */
    void copyTo(ByteBuffer target);
  }

  public RegionBuffer(int bytes, RecordFormat format) {
    this.format = format;
    memory = new AlignedBuffer(bytes);
  }

  public void begin(long newGeneration, long newSeed) {
    footer.clear();
    seed = newSeed;
    filled = DiskFormat.RECORDS_FROM;
    written = filled;
    generation = newGeneration;
  }

  public void end() {
    generation = 0;
    // Readers must not take what is written from now on for the old generation.
    VarHandle.fullFence();
  }

  public long generation() {
    return generation;
  }

  public int written() {
    return written;
  }

  public boolean fits(int bytes) {
    return filled + bytes + RegionFooter.bytes(footer.count() + 1) <= memory.size();
  }

  /** Returns the largest record that fits into an empty region. */
  public static int largest(int regionBytes) {
    return DiskFormat.down(
        regionBytes - DiskFormat.RECORDS_FROM - RegionFooter.bytes(1), DiskFormat.UNIT);
  }

  /** Adds a record that fits; returns its offset. */
  public int append(RecordHeader header, Body body) {
    int at = filled;
    format.write(header, memory.whole(), at, seed, body);
    footer.add(at);
    filled = at + header.bytes();
    return at;
  }

  /** Takes the last record back, which was not written. */
  public void removeLast(int offset) {
    footer.removeLast();
    filled = offset;
  }

  /** Fills the rest of the last block, so that all records can be written. */
  public void pad() {
    int end = DiskFormat.up(filled, DiskFormat.ALIGNMENT);
    if (end > filled) {
      RecordHeader.padding(end - filled).write(memory.whole(), filled, seed);
      filled = end;
    }
  }

  /** Returns up to where whole blocks are filled. */
  public int complete() {
    return DiskFormat.down(filled, DiskFormat.ALIGNMENT);
  }

  public void write(BlockFile file, long position, int to) throws IOException {
    while (written < to) {
      int count = Math.min(to - written, MOST_WRITTEN);
      file.write(memory.slice(written, count), position + written);
      written += count;
    }
  }

  /** Writes the footer; all records must be written. Returns its size. */
  public int writeFooter(BlockFile file, long position) throws IOException {
    int start = footer.build(memory.whole(), generation, seed, format);
    for (int at = start; at < memory.size(); at += MOST_WRITTEN) {
      int count = Math.min(memory.size() - at, MOST_WRITTEN);
      file.write(memory.slice(at, count), position + at);
    }
    return memory.size() - start;
  }

  /** Copies bytes; returns whether they are of the generation. */
  public boolean copy(long wanted, int from, ByteBuffer target) {
    if (generation != wanted) {
      return false;
    }
    target.put(memory.slice(from, target.remaining()));
    VarHandle.acquireFence();
    return generation == wanted;
  }

  @Override
  public void close() {
    memory.close();
  }
}
