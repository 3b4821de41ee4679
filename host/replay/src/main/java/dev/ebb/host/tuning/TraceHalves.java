package dev.ebb.host.tuning;

import dev.ebb.host.replay.ReplayResult;
import dev.ebb.host.statistics.Difference;
import java.util.List;
import java.util.stream.DoubleStream;

/** The hits of replays in the first half of their traces, and in slices of the second. */
final class TraceHalves {

  /** Few, so that each is long, and the cache content from the previous one matters little. */
  private static final int SLICES = 16;

  private double firstHits;
  private double firstReferences;
  private final double[] hits = new double[SLICES];
  private final double[] references = new double[SLICES];

  private TraceHalves() {}

  /** Adds up replays, none of them failed. */
  static TraceHalves of(List<ReplayResult> runs) {
    TraceHalves halves = new TraceHalves();
    runs.forEach(run -> halves.add(run.series()));
    return halves;
  }

  private void add(List<ReplayResult.Step> series) {
    int middle = series.size() / 2;
    int rest = series.size() - middle;
    for (int step = 0; step < series.size(); step++) {
      ReplayResult.Step each = series.get(step);
      if (step < middle) {
        firstHits += each.hits();
        firstReferences += each.references();
      } else {
        int slice = (step - middle) * SLICES / rest;
        hits[slice] += each.hits();
        references[slice] += each.references();
      }
    }
  }

  double first() {
    return firstHits / firstReferences;
  }

  double second() {
    return DoubleStream.of(hits).sum() / DoubleStream.of(references).sum();
  }

  /** Returns the lead in the second half, over replays of the same traces. */
  Difference gain(TraceHalves other) {
    double[] gains = new double[SLICES];
    for (int slice = 0; slice < SLICES; slice++) {
      gains[slice] = hits[slice] - other.hits[slice];
    }
    return Difference.of(gains, references);
  }
}
