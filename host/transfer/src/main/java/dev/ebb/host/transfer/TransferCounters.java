package dev.ebb.host.transfer;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a server, which sends, or a client, which receives. */
final class TransferCounters {

  /** Of a large value, a server counts each part. */
  final LongAdder readValues = new LongAdder();

  final LongAdder readBytes = new LongAdder();
  final LongAdder backgroundValues = new LongAdder();
  final LongAdder backgroundBytes = new LongAdder();
  final LongAdder messages = new LongAdder();
  final LongAdder retries = new LongAdder();
  final LongAdder damaged = new LongAdder();
  final LongAdder failures = new LongAdder();
  final LongAdder notAccepted = new LongAdder();

  void bytes(TransferPriority priority, long count) {
    (priority == TransferPriority.READ ? readBytes : backgroundBytes).add(count);
  }

  void value(TransferPriority priority) {
    (priority == TransferPriority.READ ? readValues : backgroundValues).increment();
  }
}
