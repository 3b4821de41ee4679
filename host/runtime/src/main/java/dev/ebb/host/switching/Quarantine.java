package dev.ebb.host.switching;

import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.StrategyVersion;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The strategies that broke their contract while active, by name and JAR. A quarantined strategy is
 * not activated until an operator clears the quarantine. Another JAR of the same name is
 * unaffected.
 */
public final class Quarantine {

  private final List<Case> cases = new ArrayList<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private long clearings;

  Quarantine() {}

  /**
   * A strategy in quarantine.
   *
   * @param stack what the plugin threw, as text; may be empty
   * @param faults how often the same code broke its contract since the start
   */
  public record Case(
      StrategyVersion strategy,
      Instant since,
      PolicyFault.Kind kind,
      String reason,
      String stack,
      int faults) {}

  /** Puts a strategy in quarantine. Returns false if it already is. */
  synchronized boolean add(StrategyVersion strategy, PolicyFault fault) {
    int faults = counts.merge(key(strategy), 1, Integer::sum);
    if (of(strategy) != null) {
      return false;
    }
    cases.add(
        new Case(
            strategy,
            Instant.now().truncatedTo(ChronoUnit.MILLIS),
            fault.kind(),
            String.valueOf(fault.getMessage()),
            fault.pluginStack(),
            faults));
    return true;
  }

  public synchronized @Nullable Case of(StrategyVersion strategy) {
    return cases.stream().filter(each -> each.strategy().equals(strategy)).findFirst().orElse(null);
  }

  void check(StrategyVersion strategy) {
    Case found = of(strategy);
    if (found != null) {
      throw new UserError(
          "policy %s is in quarantine since %s: %s; clear it with 'ebb policy unquarantine %s', or install a fixed JAR"
              .formatted(strategy, found.since(), found.reason(), strategy.name()));
    }
  }

  /**
   * Removes the strategies of a name from quarantine.
   *
   * @throws UserError if there was none
   */
  public synchronized List<Case> clear(String name) {
    List<Case> cleared =
        cases.stream().filter(each -> each.strategy().name().equals(name)).toList();
    if (cleared.isEmpty()) {
      throw new UserError(
          "no policy '%s' is in quarantine; in quarantine: %s"
              .formatted(name, cases.stream().map(each -> each.strategy().name()).toList()));
    }
    cases.removeAll(cleared);
    clearings++;
    return cleared;
  }

  synchronized long clearings() {
    return clearings;
  }

  /** Returns all quarantined strategies, oldest first. */
  public synchronized List<Case> cases() {
    return List.copyOf(cases);
  }

  private static String key(StrategyVersion strategy) {
    return strategy.name() + " " + strategy.sha256();
  }
}
