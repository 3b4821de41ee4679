package dev.ebb.host.admin.advice;

import static dev.ebb.host.admin.advice.Advice.Kind.BETTER_POLICY;
import static dev.ebb.host.admin.advice.Advice.Kind.HEAP_FULL;
import static dev.ebb.host.admin.advice.Advice.Kind.POOL_TOO_SMALL;
import static dev.ebb.host.admin.advice.Advice.Kind.VALUES_NOT_STORED;

import dev.ebb.host.admin.advice.Advice.Kind;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.shadow.Estimate;
import dev.ebb.host.shadow.MemoryCurve.Point;
import dev.ebb.host.shadow.ShadowReport;
import dev.ebb.host.text.Format;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to advise, from the last minute of traffic and from the simulations. Advice is given
 * above one bound and withdrawn below a lower one, so that it does not flicker. Too few events, or
 * an estimate whose error is larger than its gain, give none.
 */
public final class Advisor {

  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final Duration SHORTEST = Duration.ofSeconds(20);

  /** The minimum number of events for a meaningful share. */
  private static final long FEW = 100;

  /** The cheapest size with this share of what the largest one brings. */
  private static final double MOST_OF_IT = 0.8;

  private final Deque<Facts> window = new ArrayDeque<>();
  private final Map<Kind, Instant> since = new EnumMap<>(Kind.class);
  private volatile List<Advice> advice = List.of();

  /** A bound above which advice is given, and one below which it is withdrawn. */
  private record Bounds(double give, double withdraw) {}

  private static final Bounds OF_PREMATURE = new Bounds(0.2, 0.1);
  private static final Bounds OF_REJECTED = new Bounds(0.1, 0.05);
  private static final Bounds OF_HEAP = new Bounds(0.95, 0.9);

  /** Of what more memory brings at least, or another policy: a share of all hits. */
  private static final Bounds OF_MEMORY = new Bounds(0.01, 0.005);

  private static final Bounds OF_POLICY = new Bounds(0.005, 0.001);

  public List<Advice> advice() {
    return advice;
  }

  /** Decides again; must be called about once a second. */
  public synchronized void take(Facts now) {
    window.addLast(now);
    while (Duration.between(window.getFirst().time(), now.time()).compareTo(WINDOW) > 0) {
      window.removeFirst();
    }
    List<Advice> next = new ArrayList<>();
    problems(now, next);
    heap(now, next);
    notStored(now, next);
    List<Advice> gains = new ArrayList<>();
    memory(now, gains);
    policy(now, gains);
    gains.sort(Comparator.comparingDouble((Advice each) -> each.gain() == null ? 0 : -each.gain()));
    next.addAll(gains);
    advice = List.copyOf(next);
  }

  private void problems(Facts now, List<Advice> to) {
    for (Kind kind : Kind.values()) {
      if (kind.compareTo(HEAP_FULL) < 0
          && now.problems().stream().noneMatch(each -> each.kind() == kind)) {
        since.remove(kind);
      }
    }
    for (Facts.Problem each : now.problems()) {
      Instant first = since.computeIfAbsent(each.kind(), any -> now.time());
      Instant began = each.since() == null ? first : each.since();
      to.add(Advice.of(each.kind(), began, each.text(), null, null));
    }
  }

  /** Garbage fills the heap for moments, so the least of the window counts. */
  private void heap(Facts now, List<Advice> to) {
    double least = window.stream().mapToDouble(Facts::heap).min().orElseThrow();
    Instant began = decide(HEAP_FULL, isLong() ? least : Double.NaN, OF_HEAP, now);
    if (began != null) {
      String text =
          "the Java heap is nearly full: increase it, for example with EBB_JAVA_OPTS=-Xmx8g";
      to.add(Advice.of(HEAP_FULL, began, text, null, null));
    }
  }

  private void notStored(Facts now, List<Advice> to) {
    long rejected = now.rejected() - before().rejected();
    double share = share(rejected, rejected + now.stored() - before().stored());
    Instant began = decide(VALUES_NOT_STORED, share, OF_REJECTED, now);
    if (began != null) {
      String why =
          now.candidates().active().equals(NoEviction.NAME)
              ? "policy '%s' evicts nothing; choose another one with 'ebb policy set NAME'"
                  .formatted(NoEviction.NAME)
              : "they are larger than their partition, or the rest is pinned or leased; see 'ebb"
                  + " stats'";
      String text =
          "%s of the values are not stored, %s: %s"
              .formatted(Format.percent(share), perSecond(rejected, "values"), why);
      to.add(Advice.of(VALUES_NOT_STORED, began, text, null, null));
    }
  }

  private void memory(Facts now, List<Advice> to) {
    List<Point> points = now.curve().points();
    Point own = points.stream().filter(each -> each.factor() == 1).findFirst().orElse(null);
    Point most = points.isEmpty() ? null : points.getLast();
    long elsewhere = (now.elsewhere() - before().elsewhere()) / now.unit().each();
    long again = Math.max(0, now.premature() - before().premature() - elsewhere);
    double share = share(again, now.evicted() - before().evicted());
    String cost = Double.isNaN(share) ? "" : cost(now.unit(), share, again);
    if (own == null || most == null || most.factor() <= 1) {
      Instant began = decide(POOL_TOO_SMALL, share, OF_PREMATURE, now);
      if (began != null) {
        String text =
            "the pool is too small" + cost + "; 'ebb pool advise' says what more memory brings";
        to.add(Advice.of(POOL_TOO_SMALL, began, text, null, null));
      }
      return;
    }
    double reachable = reachable(now, own.hitRatio());
    double sure = Math.min(most.low() - own.hitRatio(), reachable);
    Instant began = decide(POOL_TOO_SMALL, sure, OF_MEMORY, now);
    if (began != null) {
      Point best = cheapest(points, own, most);
      long bytes = now.curve().capacityBytes();
      double gain = Math.min(best.hitRatio() - own.hitRatio(), reachable);
      String hits =
          now.elsewhere() > 0
              ? "at most %s points of hits, and reads from memory in place of other tiers"
                  .formatted(points(gain))
              : "%s points of hits (%s to %s)"
                  .formatted(
                      points(gain),
                      points(best.low() - own.hitRatio()),
                      points(best.high() - own.hitRatio()));
      String text =
          "the pool is too small%s; %s instead of %s would bring %s"
              .formatted(
                  cost, Format.bytes(Math.round(best.factor() * bytes)), Format.bytes(bytes), hits);
      to.add(Advice.of(POOL_TOO_SMALL, began, text, gain, null));
    }
  }

  /** Returns the share of all requests that nothing serves now, neither memory nor another tier. */
  private double reachable(Facts now, double ofMemory) {
    long requested = now.requested() - before().requested();
    long elsewhere = now.elsewhere() - before().elsewhere();
    return Math.max(0, 1 - ofMemory - (requested == 0 ? 0 : (double) elsewhere / requested));
  }

  private String cost(Facts.Unit unit, double share, long again) {
    return ": %s of the evicted %s are requested again, %s are computed again"
        .formatted(
            Format.percent(Math.min(1, share)),
            unit.name(),
            perSecond(again * unit.each(), unit.name()));
  }

  private static Point cheapest(List<Point> points, Point own, Point most) {
    double wanted = own.hitRatio() + MOST_OF_IT * (most.hitRatio() - own.hitRatio());
    return points.stream()
        .filter(each -> each.factor() > 1 && each.hitRatio() >= wanted)
        .findFirst()
        .orElse(most);
  }

  private void policy(Facts now, List<Advice> to) {
    ShadowReport best = null;
    double base = 0;
    for (ShadowReport each : now.candidates().candidates()) {
      Estimate estimate = each.estimate();
      if (estimate == null || !each.enough()) {
        continue;
      }
      base = Math.max(base, estimate.liveHitRatio());
      if (each.active()) {
        base = Math.max(base, estimate.hitRatio());
      } else if (each.spec().memory() == 1 && (best == null || ratio(each) > ratio(best))) {
        best = each;
      }
    }
    Estimate estimate = best == null ? null : best.estimate();
    double reachable = reachable(now, base);
    double sure = estimate == null ? Double.NaN : Math.min(estimate.low99() - base, reachable);
    Instant began = decide(BETTER_POLICY, sure, OF_POLICY, now);
    if (began != null && best != null) {
      double gain = Math.min(ratio(best) - base, reachable);
      long saved = Math.round(gain * (now.requested() - before().requested()));
      String text =
          "'%s' is %s points better than '%s' with 99 %% confidence%s; switch to it"
              .formatted(
                  best.policy(),
                  points(gain),
                  now.candidates().active(),
                  saved <= 0 ? "" : ": it saves %s".formatted(perSecond(saved, now.unit().name())));
      to.add(Advice.of(BETTER_POLICY, began, text, gain, best.policy()));
    }
  }

  private static double ratio(ShadowReport report) {
    Estimate estimate = report.estimate();
    return estimate == null ? 0 : estimate.hitRatio();
  }

  /** Returns when the advice began; null if there is none. An unknown value withdraws it. */
  private @Nullable Instant decide(Kind kind, double value, Bounds bounds, Facts now) {
    double bound = since.containsKey(kind) ? bounds.withdraw() : bounds.give();
    if (!(value >= bound)) {
      since.remove(kind);
      return null;
    }
    return since.computeIfAbsent(kind, any -> now.time());
  }

  private Facts before() {
    return window.getFirst();
  }

  private boolean isLong() {
    return seconds() * 1e3 >= SHORTEST.toMillis();
  }

  private double seconds() {
    return Duration.between(before().time(), window.getLast().time()).toMillis() / 1e3;
  }

  private double share(long part, long all) {
    return all < FEW || !isLong() ? Double.NaN : (double) part / all;
  }

  private String perSecond(long count, String unit) {
    return "%s %s a second".formatted(Format.count(Math.round(count / seconds())), unit);
  }

  private static String points(double share) {
    return String.format(Locale.ROOT, "%.1f", 100 * share);
  }
}
