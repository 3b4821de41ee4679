package dev.ebb.host.tier;

import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.store.ChangeListener;
import dev.ebb.host.store.DiskValues;
import dev.ebb.host.store.key.ChunkKeys;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Removes values from the disk that clients replace or remove, and those that expire. A removal is
 * final when it would survive a crash. Thread-safe.
 */
final class OutdatedValues implements ChangeListener {

  private final TierFiles files;

  /** Removals that are not final yet, by the hash of their key. Failed ones stay until they are. */
  private final Map<Long, CompletableFuture<Void>> open = new ConcurrentHashMap<>();

  private volatile boolean failed;

  /** Null if nobody but the clients of this node changes values. */
  private volatile DiskValues.@Nullable Validity validity;

  OutdatedValues(TierFiles files) {
    this.files = files;
  }

  /** A value that is stored again was missed. */
  @Override
  public void changed(byte[] mainKey) {
    files.requested(DiskLogs.hash(mainKey));
  }

  void validity(DiskValues.Validity decides) {
    validity = decides;
  }

  /** Returns whether the value of a key may be outdated although it was not removed. */
  boolean mayBeOutdated(byte[] mainKey) {
    return validity != null && !ChunkKeys.isContentAddressed(mainKey);
  }

  /** Returns whether a version is valid; removes the value otherwise. */
  boolean isValid(byte[] mainKey, long version) {
    DiskValues.Validity decides = validity;
    boolean valid = decides == null || decides.isValid(mainKey, version);
    if (!valid) {
      remove(mainKey);
    }
    return valid;
  }

  @Override
  public void outdated(byte[] mainKey) {
    remove(mainKey);
  }

  /** Removes a value, unless it is one of Ebb itself; returns whether there was one. */
  boolean remove(byte[] mainKey) {
    if (TierFiles.isReserved(mainKey)) {
      return false;
    }
    long hash = DiskLogs.hash(mainKey);
    CompletableFuture<Void> removal = files.log.remove(hash);
    if (removal == null) {
      return false;
    }
    // A removal that failed in one file is not made good by one in another.
    CompletableFuture<Void> all =
        open.merge(hash, removal, (before, added) -> CompletableFuture.allOf(before, added));
    var _ =
        all.whenComplete((none, failure) -> {
          if (failure == null) {
            open.remove(hash, all);
          } else {
            failed = true;
          }
        });
    return true;
  }

  /** Returns the removal of a value that is not final yet; null if there is none. */
  @Nullable CompletableFuture<Void> open(long hash) {
    forgetRecorded();
    return open.get(hash);
  }

  /** Disks that are all back in use have recorded all removals that had failed. */
  private void forgetRecorded() {
    if (failed && files.log.usableFiles() == files.log.files()) {
      failed = false;
      open.values().removeIf(CompletableFuture::isCompletedExceptionally);
    }
  }
}
