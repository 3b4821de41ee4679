package dev.ebb.host.store.value;

import dev.ebb.host.store.key.ObjectKey;

/**
 * Charges entries for the Java heap that they take, in bytes of the pool, as the same share of
 * both. A pool of small values is full before the heap is, and the policy evicts.
 */
public record HeapCharge(double poolPerHeap) {

  /**
   * The heap of an entry beside its key: entry, value, table slots, and the node of the policy.
   * Measured with 1.4 million values of one byte: 380 (lru) to 450 bytes (predictive).
   */
  public static final int ENTRY_BYTES = 512;

  /** The maximum size of an attachment; a larger one is a value of its own. */
  static final int ATTACHMENT_BYTES = 256;

  /** The same with references of eight bytes. Measured: 500 to 570 bytes. */
  static final int WIDE_ENTRY_BYTES = 640;

  /** From this heap size on, the JVM does not compress references. */
  private static final long WIDE_HEAP = 32L << 30;

  /** The heap of an empty process. Measured: 16 MiB. */
  private static final long BASE_BYTES = 24L << 20;

  /** The collector keeps long-lived objects in two thirds of the heap, and needs some free. */
  private static final double SHARE_OF_HEAP = 0.6;

  /** Creates the charge for a pool and the heap beside it; {@code Long.MAX_VALUE} has no limit. */
  public static HeapCharge of(long poolBytes, long heapBytes) {
    if (heapBytes == Long.MAX_VALUE) {
      return new HeapCharge(0);
    }
    long free = Math.max(heapBytes - BASE_BYTES, heapBytes / 4);
    double wide = heapBytes < WIDE_HEAP ? 1 : (double) WIDE_ENTRY_BYTES / ENTRY_BYTES;
    return new HeapCharge(wide * poolBytes / (SHARE_OF_HEAP * free));
  }

  /** Returns the charge of a value: the larger of its pool memory and its share of the heap. */
  public long units(ObjectKey key, long length) {
    return Math.max(poolUnits(key, length), ObjectMemory.unitsFor(heapShare(key), 0));
  }

  /** Returns the pool memory of a value; that of a chunk's bytes has room for its attachment. */
  public static long poolUnits(ObjectKey key, long length) {
    long attachmentBytes = key.isMain() ? ATTACHMENT_BYTES : 0;
    return ObjectMemory.unitsFor(length, key.bytes().length + attachmentBytes);
  }

  private long heapShare(ObjectKey key) {
    long keyBytes = key.bytes().length;
    long attachment = key.isMain() ? ENTRY_BYTES / 2 + keyBytes + ATTACHMENT_BYTES : 0;
    return (long) (poolPerHeap * (ENTRY_BYTES + keyBytes + attachment));
  }
}
