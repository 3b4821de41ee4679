package dev.ebb.host.engine.stats;

import dev.ebb.host.cache.stats.Fairness;
import dev.ebb.host.cache.stats.NameTable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Prompt tokens and how many of them were cached, by tenant or by model. Guarded by the engine's
 * lock.
 */
public final class PromptTokens {

  private final NameTable<Tokens> tokens = new NameTable<>(Tokens::new);

  private static final class Tokens {
    private long prompt;
    private long matched;
  }

  public void add(@Nullable String name, long prompt, long matched) {
    if (name == null) {
      return;
    }
    Tokens of = tokens.get(name);
    of.prompt += prompt;
    of.matched += matched;
  }

  public void add(PromptTokens others) {
    others.tokens.values().forEach((label, of) -> add(label, of.prompt, of.matched));
  }

  /** Returns the prompt tokens by name. */
  public Map<String, Long> prompts() {
    Map<String, Long> prompts = new TreeMap<>();
    tokens.values().forEach((name, of) -> prompts.put(name, of.prompt));
    return prompts;
  }

  public List<EngineStats.Tenant> stats() {
    return tokens.values().entrySet().stream()
        .map(each ->
            new EngineStats.Tenant(each.getKey(), each.getValue().prompt, each.getValue().matched))
        .toList();
  }

  /** Returns Jain's index over the tenants' shares; NaN if none is known or none has a hit. */
  public double fairness() {
    Fairness fairness = new Fairness();
    tokens.values().forEach((name, of) -> fairness.add(name, of.matched, of.prompt));
    return fairness.index();
  }
}
