package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.ModelHost.Kind;
import java.util.List;

/** Long random histories: alone, twice, and beside another instance. */
final class ModelChecks {

  private static final int[] CAPACITIES = {32, 8, 100, 2, 300, 1};
  private static final int USUAL_CAPACITY = 32;

  private final BlockPolicyProvider provider;
  private final CheckSettings settings;

  ModelChecks(BlockPolicyProvider provider, CheckSettings settings) {
    this.provider = provider;
    this.settings = settings;
  }

  String history(Kind kind, long seed) {
    int capacity = CAPACITIES[(int) Math.floorMod(seed, (long) CAPACITIES.length)];
    ModelHost host = new ModelHost(kind, capacity, provider, settings, seed);
    play(host);
    ModelCache cache = host.cache();
    return "capacity %d, %d insertions, %d evictions, %.2f refusals each"
        .formatted(
            capacity,
            cache.insertions(),
            cache.evictions(),
            (double) cache.refusals() / Math.max(1, cache.evictions()));
  }

  String deterministic(long seed) {
    int compared = 0;
    for (Kind kind : Kind.values()) {
      List<Long> first = alone(kind, seed);
      compare(Rule.DETERMINISTIC, "at first", first, "the second time", alone(kind, seed));
      compared += first.size();
    }
    return compared + " answers";
  }

  String independent(long seed) {
    int compared = 0;
    for (Kind kind : Kind.values()) {
      List<Long> alone = alone(kind, seed);
      List<Long> together = besideAnother(kind, seed);
      // A policy that is not repeatable breaks another rule.
      if (alone.equals(together) || alone.equals(alone(kind, seed))) {
        compare(Rule.INDEPENDENT, "alone", alone, "beside another instance", together);
        compared += alone.size();
      }
    }
    return compared + " answers";
  }

  private ModelHost host(Kind kind, long seed) {
    return new ModelHost(kind, USUAL_CAPACITY, provider, settings, seed);
  }

  private List<Long> alone(Kind kind, long seed) {
    ModelHost host = host(kind, seed);
    play(host);
    return host.cache().answers();
  }

  private List<Long> besideAnother(Kind kind, long seed) {
    ModelHost host = host(kind, seed);
    ModelHost other = host(kind, ~seed);
    for (int i = 0; i < settings.requests(); i++) {
      host.step();
      other.step();
    }
    host.finish();
    other.finish();
    return host.cache().answers();
  }

  private void play(ModelHost host) {
    for (int i = 0; i < settings.requests(); i++) {
      host.step();
    }
    host.finish();
  }

  private static void compare(
      Rule rule, String first, List<Long> expected, String second, List<Long> actual) {
    int shorter = Math.min(expected.size(), actual.size());
    for (int i = 0; i < shorter; i++) {
      if (!expected.get(i).equals(actual.get(i))) {
        throw new Violation(
            rule,
            "answer %d of victim() was %s %s and %s %s"
                .formatted(i + 1, word(expected.get(i)), first, word(actual.get(i)), second));
      }
    }
    if (expected.size() != actual.size()) {
      throw new Violation(
          rule,
          "there were %d answers %s and %d %s"
              .formatted(expected.size(), first, actual.size(), second));
    }
  }

  private static String word(long answer) {
    return answer == 0 ? "null" : "entry " + Long.toHexString(answer);
  }
}
