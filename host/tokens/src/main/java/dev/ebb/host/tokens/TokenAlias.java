package dev.ebb.host.tokens;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A published method that is a policy together with a budget rule. */
public record TokenAlias(String policy, String budget) {

  private static final Map<String, TokenAlias> ALL =
      new TreeMap<>(
          Map.of(
              "pyramidkv", new TokenAlias("snapkv", "pyramid"),
              "adakv", new TokenAlias("snapkv", "ada"),
              "cake", new TokenAlias("cake", "cake-layers"),
              "ada-expected-attention", new TokenAlias("expected-attention", "ada")));

  /** Returns the methods' names, each usable as {@code tokens.policy}. */
  public static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /** Resolves a name, with the budget rule to use unless the name implies one. */
  public static TokenAlias resolve(String name, String budget) {
    return ALL.getOrDefault(name, new TokenAlias(name, budget));
  }

  /** Returns the policy of a name. */
  public static String policyOf(String name) {
    TokenAlias alias = ALL.get(name);
    return alias == null ? name : alias.policy();
  }
}
