package dev.ebb.host.store;

/**
 * Charges entries for the Java heap that they take, in bytes of the pool: as large a share of the
 * pool as their share of the heap. A pool that is full of small values is then full before the heap
 * is, and the policy evicts.
 *
 * @param poolPerHeap bytes of the pool for a byte of the heap; 0 if the heap is not counted
 */
record HeapCharge(double poolPerHeap) {

  /**
   * What an entry takes of the heap beside its key: entry, value, places in tables, and the node of
   * the policy. Measured with 1.4 million values of one byte: 370 (lru) to 440 bytes (predictive).
   */
  static final int ENTRY_BYTES = 512;

  /** The same where references have eight bytes. Measured: 490 to 560 bytes. */
  static final int WIDE_ENTRY_BYTES = 640;

  /** From here on, the JVM does not compress references. */
  private static final long WIDE_HEAP = 32L << 30;

  /** What a process takes that holds nothing. Measured: 16 MiB. */
  private static final long BASE_BYTES = 24L << 20;

  /** The collector keeps what lives long in two thirds of the heap, and needs some of it free. */
  private static final double SHARE_OF_HEAP = 0.6;

  /**
   * For a pool and the heap beside it.
   *
   * @param poolBytes all partitions together
   * @param heapBytes how large the heap can become; {@code Long.MAX_VALUE} if it has no limit
   */
  static HeapCharge of(long poolBytes, long heapBytes) {
    if (heapBytes == Long.MAX_VALUE) {
      return new HeapCharge(0);
    }
    long free = Math.max(heapBytes - BASE_BYTES, heapBytes / 4);
    double wide = heapBytes < WIDE_HEAP ? 1 : (double) WIDE_ENTRY_BYTES / ENTRY_BYTES;
    return new HeapCharge(wide * poolBytes / (SHARE_OF_HEAP * free));
  }

  /** What a value is charged: the larger of what it takes of the pool and its share of the heap. */
  long units(ObjectKey key, long length) {
    return Math.max(poolUnits(key, length), ObjectMemory.unitsFor(heapShare(key), 0));
  }

  /** What a value takes of the pool; that of a chunk's bytes has room for its attachment. */
  static long poolUnits(ObjectKey key, long length) {
    long attachmentBytes = key.role() == KeyRole.MAIN ? ValuePublisher.ATTACHMENT_BYTES : 0;
    return ObjectMemory.unitsFor(length, key.bytes().length + attachmentBytes);
  }

  private long heapShare(ObjectKey key) {
    long keyBytes = key.bytes().length;
    long attachment =
        key.role() == KeyRole.MAIN
            ? ENTRY_BYTES / 2 + keyBytes + ValuePublisher.ATTACHMENT_BYTES
            : 0;
    return (long) (poolPerHeap * (ENTRY_BYTES + keyBytes + attachment));
  }
}
