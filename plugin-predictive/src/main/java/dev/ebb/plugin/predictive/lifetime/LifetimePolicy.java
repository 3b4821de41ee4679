package dev.ebb.plugin.predictive.lifetime;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Prediction;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Settings;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Orders entries by their expected remaining useful life. It evicts in this order:
 *
 * <ol>
 *   <li>entries whose predicted life is over, the one that ended first in front;
 *   <li>entries without a prediction: nearest to the end of their sequence first, then longest
 *       unused, where an unknown length counts as half way;
 *   <li>entries whose predicted life goes on, the one that ends first in front.
 * </ol>
 *
 * <p>A client's own estimate is used as it is; a predictor's only if its confidence is high enough.
 * A prediction holds until the next use. While less than an eighth of all entries are without a
 * prediction, the third kind is evicted before the second. So wrong long predictions cannot keep
 * new entries out. All operations take amortised constant time.
 */
public final class LifetimePolicy implements BlockPolicy<Life> {

  public static final BlockPolicyProvider PROVIDER =
      BlockPolicyProvider.of("lifetime", LifetimePolicy::create);

  private static final double NANOS = 1e9;
  private static final int LEAST_UNKNOWN = 8;

  private final PolicyClock clock;
  private final LifetimePredictor predictor;
  private final double confidence;
  private final Prediction prediction = new Prediction();
  private final Timeline foretold;
  private final CompletionOrder others = new CompletionOrder();
  private long size;
  private long predicted;

  private static LifetimePolicy create(PolicyContext context) {
    Settings settings = context.settings();
    double confidence = settings.number("confidence", 0.9, 0, 1);
    String predictor = settings.string("predictor", OnlinePredictor.NAME);
    return new LifetimePolicy(context.clock(), context.predictor(predictor), confidence);
  }

  /**
   * Creates a policy that holds nothing.
   *
   * @param predictor its own; fed, queried and closed by the policy
   */
  LifetimePolicy(PolicyClock clock, LifetimePredictor predictor, double confidence) {
    this.clock = clock;
    this.predictor = predictor;
    this.confidence = confidence;
    this.foretold = new Timeline(clock.nanos());
  }

  @Override
  public Life inserted(Entry entry) {
    Life life = new Life(entry);
    size++;
    predictor.observe(entry, LifetimePredictor.Event.INSERTED, 0);
    foretell(life);
    enter(life, true);
    return life;
  }

  @Override
  public void accessed(Life life) {
    predictor.observe(life.entry, LifetimePredictor.Event.REUSED, idleSeconds(life));
    leave(life);
    life.usedNanos = clock.nanos();
    foretell(life);
    enter(life, true);
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Life life = next();
    while (life != null && life.setAside) {
      leave(life);
      life = next();
    }
    return life == null ? null : life.entry;
  }

  @Override
  public void removed(Life life, RemovalCause cause) {
    size--;
    predictor.observe(life.entry, LifetimePredictor.Event.LEFT, idleSeconds(life));
    leave(life);
    forget(life);
  }

  @Override
  public void refused(Life life) {
    leave(life);
    life.setAside = true;
  }

  @Override
  public void released(Life life) {
    life.setAside = false;
    if (life.list() == null) {
      enter(life, false);
    }
  }

  @Override
  public long size() {
    return size;
  }

  /** Returns the seconds of life left, less than 0 if it is over; NaN without a prediction. */
  @Override
  public double score(Life life) {
    return life.endNanos == Life.UNKNOWN ? Double.NaN : (life.endNanos - clock.nanos()) / NANOS;
  }

  @Override
  public String explain(Life life) {
    double left = score(life);
    if (left > 0) {
      return String.format(Locale.ROOT, "expected to be useful for another %.1f s", left);
    }
    if (left <= 0) {
      return String.format(Locale.ROOT, "expected to be useless since %.1f s", -left);
    }
    double share = CompletionOrder.share(life.entry);
    String sequence =
        Double.isNaN(share)
            ? "length of its sequence unknown"
            : String.format(Locale.ROOT, "its sequence is %.0f %% complete", 100 * share);
    return String.format(
        Locale.ROOT,
        "no trusted prediction, %s, last used %.1f s ago",
        sequence,
        idleSeconds(life));
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("predicted", (double) predicted, "unpredicted", (double) (size - predicted));
  }

  @Override
  public void close() {
    predictor.close();
  }

  private @Nullable Life next() {
    Life over = foretold.ended(clock.nanos());
    if (over != null) {
      return over;
    }
    Life unknown = others.first();
    if (unknown != null && !crowded()) {
      return unknown;
    }
    Life goesOn = foretold.nextToEnd();
    return goesOn != null ? goesOn : unknown;
  }

  // Wrong predictions must not keep out all entries without one.
  private boolean crowded() {
    return size - predicted < size / LEAST_UNKNOWN;
  }

  private void foretell(Life life) {
    forget(life);
    long now = clock.nanos();
    long hint = life.entry.lifetimeHintNanos();
    if (hint >= 0) {
      life.endNanos =
          Math.min(life.usedNanos + Math.min(hint, Timeline.FARTHEST), now + Timeline.FARTHEST);
    } else {
      prediction.set(0, 0);
      predictor.predict(life.entry, prediction);
      if (!(prediction.confidence() >= confidence)) {
        return;
      }
      double nanos = Math.max(0, prediction.remainingSeconds()) * NANOS;
      life.endNanos = now + (long) Math.min(nanos, Timeline.FARTHEST);
    }
    predicted++;
  }

  private void forget(Life life) {
    if (life.endNanos != Life.UNKNOWN) {
      life.endNanos = Life.UNKNOWN;
      predicted--;
    }
  }

  private void enter(Life life, boolean hot) {
    if (life.endNanos != Life.UNKNOWN) {
      foretold.add(life, clock.nanos());
    } else if (hot) {
      others.addHot(life);
    } else {
      others.addCold(life);
    }
  }

  private void leave(Life life) {
    NodeList<Life> list = life.list();
    if (list != null && !foretold.remove(life)) {
      list.remove(life);
    }
  }

  private double idleSeconds(Life life) {
    return Math.max(0, clock.nanos() - life.usedNanos) / NANOS;
  }
}
