package dev.ebb.plugin.predictive.lifetime;

import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Prediction;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Learns for each workload label how long its entries go unused between two uses, and how often no
 * further use comes. Entries without a label share a label of their own.
 *
 * <p>A policy that acts on a prediction ends the lives that could disprove it. So a few moments,
 * picked by a hash of the time, get no confidence: entries used last in one of them live on as if
 * nothing was known, and the predictor learns from them.
 */
public final class OnlinePredictor implements LifetimePredictor {

  static final String NAME = "online";

  public static final LifetimePredictorProvider PROVIDER =
      LifetimePredictorProvider.of(NAME, OnlinePredictor::create);

  /** The maximum number of labels; further ones are learned together. */
  private static final int MAX_LABELS = 256;

  // One moment in 16.
  private static final int WATCHED_BITS = 4;

  private final PolicyClock clock;
  private final double halfLife;
  private final GapSurvival unlabelled;
  private final GapSurvival beyond;
  private final Map<String, GapSurvival> labels = new HashMap<>();

  // Events of one request come in a row, and carry the very same label.
  private @Nullable String lastLabel;
  private GapSurvival last;

  private static OnlinePredictor create(PolicyContext context) {
    double halfLife = context.settings().number("half-life", 5000, 100, 1e12);
    return new OnlinePredictor(context.clock(), halfLife);
  }

  /**
   * Creates a predictor that has learned nothing.
   *
   * @param halfLife moments with events of a label after which an observation weighs half
   */
  OnlinePredictor(PolicyClock clock, double halfLife) {
    this.clock = clock;
    this.halfLife = halfLife;
    unlabelled = new GapSurvival(halfLife);
    beyond = new GapSurvival(halfLife);
    last = unlabelled;
  }

  @Override
  public void observe(Entry entry, Event event, double idleSeconds) {
    switch (event) {
      case REUSED -> of(entry.workload()).reused(idleSeconds, clock.nanos());
      case LEFT -> of(entry.workload()).left(idleSeconds, clock.nanos());
      case INSERTED -> {
        // A new life teaches something when it goes on or ends.
      }
    }
  }

  @Override
  public void predict(Entry entry, Prediction out) {
    long used = entry.lastAccessNanos();
    of(entry.workload()).predict(clock.nanos() - used, out);
    if (watched(used)) {
      out.set(out.remainingSeconds(), 0);
    }
  }

  /** Returns whether entries used last at a time are left alone, to learn from them. */
  static boolean watched(long nanos) {
    return (nanos * 0x9E3779B97F4A7C15L) >>> (Long.SIZE - WATCHED_BITS) == 0;
  }

  @SuppressWarnings("StringEquality")
  private GapSurvival of(@Nullable String label) {
    if (label != lastLabel) {
      last = find(label);
      lastLabel = label;
    }
    return last;
  }

  private GapSurvival find(@Nullable String label) {
    if (label == null) {
      return unlabelled;
    }
    GapSurvival known = labels.get(label);
    if (known == null) {
      known = labels.size() < MAX_LABELS ? new GapSurvival(halfLife) : beyond;
      if (known != beyond) {
        labels.put(label, known);
      }
    }
    return known;
  }
}
