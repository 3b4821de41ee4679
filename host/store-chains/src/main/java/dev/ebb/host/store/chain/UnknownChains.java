package dev.ebb.host.store.chain;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimates how many chunks are cached of whose prompt nothing is known, because no lookup of an
 * engine has shown it, or because those of several prompts are mixed. Such a chunk may be
 * unreachable, and policies take it for an object of its own. Guarded by the partition's lock.
 */
final class UnknownChains {

  private static final Logger LOG = LoggerFactory.getLogger(UnknownChains.class);

  /** The most entries that are looked at for an estimate. */
  private static final int SAMPLE = 256;

  /** With fewer chunks, a share says little. */
  private static final int FEW = 1_000;

  private static final long WARN_EVERY_NANOS = TimeUnit.HOURS.toNanos(1);

  private final Chains chains;
  private long nextWarning;

  UnknownChains(Chains chains) {
    this.chains = chains;
    nextWarning = chains.time.nanos();
  }

  /** Returns the number of such chunks: exact if there are few entries, otherwise estimated. */
  long count() {
    return estimate().unknown;
  }

  /** Logs once an hour if nothing is known of most chunks. */
  void warn() {
    long now = chains.time.nanos();
    if (now - nextWarning < 0) {
      return;
    }
    nextWarning = now + TimeUnit.MINUTES.toNanos(1);
    Estimate estimate = estimate();
    if (estimate.chunks >= FEW && 2 * estimate.unknown > estimate.chunks) {
      nextWarning = now + WARN_EVERY_NANOS;
      LOG.warn(
          "chains of most chunks are unknown, so policies see them as single objects: engines"
              + " store them without looking them up first, or LMCache has several prompts in"
              + " flight chunks={} unknown={}",
          estimate.chunks,
          estimate.unknown);
    }
  }

  private record Estimate(long chunks, long unknown) {}

  private Estimate estimate() {
    int slots = chains.values.slots();
    int sample = Math.min(slots, SAMPLE);
    int chunks = 0;
    int unknown = 0;
    for (int i = 0; i < sample; i++) {
      ChainedValue value = chains.values.inSlot((int) ((long) i * slots / sample));
      if (value != null && value.key.isChained()) {
        chunks++;
        unknown += isUnknown(value) ? 1 : 0;
      }
    }
    double each = sample == 0 ? 0 : (double) slots / sample;
    return new Estimate(Math.round(chunks * each), Math.round(unknown * each));
  }

  private boolean isUnknown(ChainedValue value) {
    return value.parent == null
        && value.firstChild == null
        && value.predecessor == Predecessors.NONE
        && chains.predecessors.seen(value.key.low()) == 0;
  }
}
