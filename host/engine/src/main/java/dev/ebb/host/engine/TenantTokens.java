package dev.ebb.host.engine;

import dev.ebb.host.cache.Fairness;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Tokens of prompts and those of them that were there, by tenant. Guarded by the engine's lock. */
final class TenantTokens {

  /** Beyond so many names, further ones are counted together. */
  private static final int MOST_NAMES = 1_024;

  private static final String OTHERS = "(others)";

  /** Of each name, tokens of prompts and those that were there. */
  private final Map<String, long[]> tokens = new TreeMap<>();

  void add(@Nullable String tenant, long prompt, long matched) {
    if (tenant == null) {
      return;
    }
    boolean room = tokens.size() < MOST_NAMES || tokens.containsKey(tenant);
    long[] counts = tokens.computeIfAbsent(room ? tenant : OTHERS, name -> new long[2]);
    counts[0] += prompt;
    counts[1] += matched;
  }

  void add(TenantTokens others) {
    others.tokens.forEach((name, counts) -> add(name, counts[0], counts[1]));
  }

  List<EngineStats.Tenant> stats() {
    return tokens.entrySet().stream()
        .map(each -> new EngineStats.Tenant(each.getKey(), each.getValue()[0], each.getValue()[1]))
        .toList();
  }

  /** Jain's index over the tenants' shares; NaN if none is known or none has a hit. */
  double fairness() {
    Fairness fairness = new Fairness();
    tokens.forEach((name, counts) -> fairness.add(name, counts[1], counts[0]));
    return fairness.index();
  }
}
