package dev.ebb.server.peer;

import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import java.util.concurrent.atomic.LongAdder;

/** What an engine has exchanged with others, as metrics. */
public final class PeerMetrics implements MetricSource {

  /** Sequences that have moved to another engine. */
  public final LongAdder movedOut = new LongAdder();

  /** Sequences that have come from another engine. */
  public final LongAdder movedIn = new LongAdder();

  /** Moves that failed before the target had confirmed. */
  public final LongAdder refused = new LongAdder();

  /** Sequences that came back, because their target failed. */
  public final LongAdder returned = new LongAdder();

  /** Bytes of pages given to other engines. */
  public final LongAdder bytesOut = new LongAdder();

  /** Bytes of pages taken from other engines. */
  public final LongAdder bytesIn = new LongAdder();

  /** Prompts for which another engine was asked. */
  public final LongAdder asked = new LongAdder();

  /** Those of them of which at least a page was used. */
  public final LongAdder used = new LongAdder();

  /** Those of them for which the other engine failed, refused or was too slow. */
  public final LongAdder failed = new LongAdder();

  /** Tokens of prompts that came from another engine. */
  public final LongAdder tokens = new LongAdder();

  /** Creates counters at 0. */
  public PeerMetrics() {}

  @Override
  public void write(MetricSink sink) {
    sink.count("ebb_sequences_moved_total", movedOut.sum(), "out");
    sink.count("ebb_sequences_moved_total", movedIn.sum(), "in");
    sink.count("ebb_sequence_moves_failed_total", refused.sum(), "before");
    sink.count("ebb_sequence_moves_failed_total", returned.sum(), "after");
    sink.count("ebb_peer_page_bytes_total", bytesOut.sum(), "out");
    sink.count("ebb_peer_page_bytes_total", bytesIn.sum(), "in");
    sink.count("ebb_prefills_total", asked.sum(), "asked");
    sink.count("ebb_prefills_total", used.sum(), "used");
    sink.count("ebb_prefills_total", failed.sum(), "failed");
    sink.count("ebb_prefill_tokens_total", tokens.sum());
  }
}
