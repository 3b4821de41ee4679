package dev.ebb.host.transfer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The counters of a server or client. */
final class TransferCounters {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  final LongAdder messages = new LongAdder();
  final LongAdder retries = new LongAdder();
  final LongAdder damaged = new LongAdder();
  final LongAdder failures = new LongAdder();
  final LongAdder notAccepted = new LongAdder();

  private final Amount reads = new Amount(new LongAdder(), new LongAdder());
  private final Amount background = new Amount(new LongAdder(), new LongAdder());

  private record Amount(LongAdder bytes, LongAdder values) {}

  private long sampledAt = System.nanoTime();
  private long sampledBytes;
  private volatile long rate;

  private Amount amount(TransferPriority priority) {
    return switch (priority) {
      case READ -> reads;
      case BACKGROUND -> background;
    };
  }

  void bytes(TransferPriority priority, long count) {
    amount(priority).bytes.add(count);
  }

  void value(TransferPriority priority) {
    amount(priority).values.increment();
  }

  /** Measures the rate, once a second. Called by one thread. */
  void sample() {
    long now = System.nanoTime();
    if (now - sampledAt >= SECOND) {
      long total = reads.bytes.sum() + background.bytes.sum();
      rate = (long) ((total - sampledBytes) * ((double) SECOND / (now - sampledAt)));
      sampledAt = now;
      sampledBytes = total;
    }
  }

  TransferStats stats(int connections) {
    return new TransferStats(
        reads.bytes.sum(),
        background.bytes.sum(),
        reads.values.sum(),
        background.values.sum(),
        messages.sum(),
        retries.sum(),
        damaged.sum(),
        failures.sum(),
        notAccepted.sum(),
        connections,
        rate);
  }
}
