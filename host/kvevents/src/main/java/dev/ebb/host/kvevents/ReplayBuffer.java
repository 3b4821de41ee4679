package dev.ebb.host.kvevents;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last batches, for subscribers that missed them; bounded in number and in bytes. */
final class ReplayBuffer {

  private static final long MOST_BYTES = 16 << 20;

  private final Deque<Batch> batches = new ArrayDeque<>();
  private final int most;
  private long bytes;

  /** A published batch. */
  // The array is what was sent; a copy would be waste.
  @SuppressWarnings("ArrayRecordComponent")
  record Batch(long sequence, byte[] payload) {}

  ReplayBuffer(int most) {
    this.most = most;
  }

  void add(Batch batch) {
    batches.add(batch);
    bytes += batch.payload().length;
    while (batches.size() > most || (bytes > MOST_BYTES && batches.size() > 1)) {
      bytes -= batches.remove().payload().length;
    }
  }

  /** Returns the batches from a sequence number on. */
  List<Batch> from(long sequence) {
    return batches.stream().filter(batch -> batch.sequence() >= sequence).toList();
  }
}
