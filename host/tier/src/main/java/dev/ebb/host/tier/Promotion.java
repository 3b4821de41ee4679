package dev.ebb.host.tier;

import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.DiskValue;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.key.ChunkKeys;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads values from the disk into memory, where they stay if the policy admits them. What a client
 * has stored or removed meanwhile takes precedence.
 */
record Promotion(DiskStore tier) {

  /** A value moves when its region is reused: then it is read again. */
  private static final int ATTEMPTS = 2;

  /** Opens a value or the metadata of a chunk; null if it is not on the disk, or has no room. */
  @Nullable ValueReader open(byte[] key, ReadBuffer buffer) {
    byte[] mainKey = ChunkKeys.mainKey(key);
    long hash = DiskLogs.hash(mainKey);
    for (int attempt = 0; attempt < ATTEMPTS && tier.log.contains(hash); attempt++) {
      DiskValue value = tier.log.read(mainKey, buffer);
      if (value != null && isValid(mainKey, value)) {
        BooleanSupplier valid = () -> !tier.isClearing() && tier.log.isCurrent(hash, value);
        ValueReader opened = open(key, mainKey, value, valid);
        if (opened != null) {
          return opened;
        }
      }
    }
    // It may have come back to memory since the client asked.
    return tier.store.open(key, true);
  }

  private boolean isValid(byte[] mainKey, DiskValue value) {
    return !tier.outdated.mayBeOutdated(mainKey)
        || tier.outdated.isValid(mainKey, ValueRecord.version(mainKey, value.parent()));
  }

  private @Nullable ValueReader open(
      byte[] key, byte[] mainKey, DiskValue value, BooleanSupplier valid) {
    // Another value of a key that names its content would be the same: it may have a new version.
    long version = ValueRecord.version(mainKey, value.parent());
    ValueReader main = restore(mainKey, value.bytes(), version, value.expiresAt(), valid);
    ValueReader metadata =
        main != null && value.attachment().hasRemaining()
            ? restore(
                ChunkKeys.metadataKey(mainKey),
                value.attachment(),
                version,
                value.expiresAt(),
                valid)
            : null;
    boolean asksForMain = !ChunkKeys.isMetadata(key);
    ValueReader other = asksForMain ? metadata : main;
    if (other != null) {
      other.close();
    }
    return asksForMain ? main : metadata;
  }

  private @Nullable ValueReader restore(
      byte[] key, ByteBuffer bytes, long version, long expiresAt, BooleanSupplier valid) {
    try (ValueWriter writer = tier.store.write(key, bytes.remaining())) {
      if (!writer.allocate()) {
        return null;
      }
      writer.write(0, bytes);
      writer.filled();
      return writer.restore(version, DiskStore.storeExpiry(expiresAt), valid);
    }
  }
}
