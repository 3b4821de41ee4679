package dev.ebb.host.replay;

import dev.ebb.host.cache.stats.Fairness;
import dev.ebb.host.replay.ReplayResult.PrefillTokens;
import dev.ebb.host.replay.RequestQueue.QueuedRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  /**
   * The hits in 128 to 255 equal steps of a replay. Neighbouring steps merge when there are too
   * many, so that the length of the trace need not be known.
   */
  static final class HitSeries {

    private static final int STEPS = 256;

    private final long[] hits = new long[STEPS];
    private final long[] references = new long[STEPS];
    private int step;
    private int inStep;
    private int requestsPerStep = 1;

    void add(long requestHits, long requestReferences) {
      if (inStep == requestsPerStep) {
        inStep = 0;
        if (++step == STEPS) {
          merge();
        }
      }
      hits[step] += requestHits;
      references[step] += requestReferences;
      inStep++;
    }

    int requestsPerStep() {
      return requestsPerStep;
    }

    List<ReplayResult.Step> steps() {
      List<ReplayResult.Step> taken = new ArrayList<>();
      int count = inStep == 0 ? step : step + 1;
      for (int i = 0; i < count; i++) {
        taken.add(new ReplayResult.Step(hits[i], references[i]));
      }
      return taken;
    }

    private void merge() {
      for (int i = 0; i < STEPS / 2; i++) {
        hits[i] = hits[2 * i] + hits[2 * i + 1];
        references[i] = references[2 * i] + references[2 * i + 1];
      }
      Arrays.fill(hits, STEPS / 2, STEPS, 0);
      Arrays.fill(references, STEPS / 2, STEPS, 0);
      step = STEPS / 2;
      requestsPerStep *= 2;
    }
  }
}
