package dev.ebb.host.tier;

import dev.ebb.host.disk.DiskLog;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.store.EvictedValue;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Writes values to a log, each together with its metadata. */
final class ValueRecord {

  private ValueRecord() {}

  /**
   * Returns whether a value can be on the disk: not metadata alone, which belongs to a chunk, or a
   * key of Ebb.
   */
  static boolean mayBeWritten(byte[] key, long bytes) {
    return bytes > 0
        && bytes < Integer.MAX_VALUE
        && !ChunkKeys.isMetadata(key)
        && !TierFiles.isReserved(key);
  }

  /** Returns the hash of the key of the chunk before a value; 0 if that is not known. */
  static long parent(byte @Nullable [] key) {
    return key == null ? 0 : DiskLogs.hash(key);
  }

  /**
   * Returns the version of a value on the disk of a node of a cluster; 0 if none is kept.
   *
   * @param parent that of its record: such a value has none, and its version is in that place
   */
  static long version(byte[] key, long parent) {
    return ChunkKeys.isContentAddressed(key) ? 0 : parent;
  }

  /**
   * Adds an announced value. The bytes of a chunk without the metadata that belongs to them are of
   * no use, so that a chunk on the disk always has both.
   *
   * @param value its length is that of the reader
   * @param patience how long to wait for a disk that is too slow
   */
  static DiskLog.Outcome append(
      DiskLog.Ticket ticket, EvictedValue value, ValueReader reader, Duration patience) {
    byte[] key = value.mainKey();
    byte[] metadata = reader.attachment();
    if (metadata.length == 0 && ChunkKeys.hasMetadata(key)) {
      ticket.cancel();
      return DiskLog.Outcome.OUTDATED;
    }
    long parent = ChunkKeys.isContentAddressed(key) ? parent(value.parent()) : reader.version();
    return ticket.append(
        key,
        new DiskLog.Properties(
            (int) reader.length(), metadata.length, reader.firstExpiry(), value.group(), parent),
        target -> {
          copy(reader, target);
          target.put(metadata);
        },
        patience);
  }

  private static void copy(ValueReader reader, ByteBuffer target) {
    for (long at = 0; at < reader.length(); ) {
      ByteBuffer piece = reader.piece(at, Integer.MAX_VALUE);
      at += piece.remaining();
      target.put(piece);
    }
  }
}
