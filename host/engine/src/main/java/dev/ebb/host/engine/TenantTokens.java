package dev.ebb.host.engine;

import dev.ebb.host.cache.Fairness;
import dev.ebb.host.cache.NameTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prompt tokens and matched tokens by tenant. Guarded by the engine's lock. */
final class TenantTokens {

  private final NameTable<Tokens> tokens = new NameTable<>(Tokens::new);

  private static final class Tokens {
    private long prompt;
    private long matched;
  }

  void add(@Nullable String tenant, long prompt, long matched) {
    if (tenant == null) {
      return;
    }
    Tokens of = tokens.get(tenant);
    of.prompt += prompt;
    of.matched += matched;
  }

  void add(TenantTokens others) {
    others.tokens.values().forEach((name, of) -> add(name, of.prompt, of.matched));
  }

  List<EngineStats.Tenant> stats() {
    return tokens.values().entrySet().stream()
        .map(each ->
            new EngineStats.Tenant(each.getKey(), each.getValue().prompt, each.getValue().matched))
        .toList();
  }

  /** Returns Jain's index over the tenants' shares; NaN if none is known or none has a hit. */
  double fairness() {
    Fairness fairness = new Fairness();
    tokens.values().forEach((name, of) -> fairness.add(name, of.matched, of.prompt));
    return fairness.index();
  }
}
