package dev.ebb.host.replay;

import dev.ebb.host.cache.stats.Fairness;
import org.HdrHistogram.Histogram;

/** Counts of one run: of the requests that were served, and of what they found. */
final class RunTally {

  final Fairness fairness = new Fairness();
  final HitSeries series = new HitSeries();
  private final Histogram prefill = new Histogram(3);
  private final int blockTokens;
  long requests;
  long references;
  long hits;
  long prefixHits;
  long requestTokens;
  long prefixHitTokens;

  RunTally(int blockTokens) {
    this.blockTokens = blockTokens;
  }

  /**
   * Counts a request.
   *
   * @param found blocks that were resident
   * @param leading those of them at its front
   */
  void add(QueuedRequest request, int found, int leading) {
    int blocks = request.chain.blocks();
    long tokens = Math.max(0, request.inputTokens);
    requests++;
    references += blocks;
    hits += found;
    prefixHits += leading;
    requestTokens += tokens;
    long hitTokens = Math.min((long) leading * blockTokens, tokens);
    prefixHitTokens += hitTokens;
    if (request.inputTokens >= 0) {
      prefill.recordValue(tokens - hitTokens);
    }
    fairness.add(request.facts.tenant(), leading, blocks);
    series.add(found, blocks);
  }

  PrefillTokens prefill() {
    return PrefillTokens.of(prefill);
  }
}
