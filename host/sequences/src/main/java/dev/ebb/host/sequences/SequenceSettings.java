package dev.ebb.host.sequences;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.engine.TokensConfig.OnMissingSignal;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.runtime.SiteConfigAppliers;
import dev.ebb.host.runtime.SiteConfigAppliers.Applier;
import dev.ebb.host.switching.SwitchCause;
import dev.ebb.host.tokens.TokenAlias;
import dev.ebb.host.tokens.signals.Observations;
import dev.ebb.host.wiring.Host;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Applies changes of the configuration to the sequences, also those before they are opened. */
public final class SequenceSettings {

  private static final List<ConfigKey<?>> KEYS =
      List.of(
          EvictionConfig.TTL,
          EvictionConfig.PIN_BUDGET,
          DiskTierConfig.ADMISSION,
          TokensConfig.POLICY);

  /** All data that EBB.SEQ carries. */
  private static final Observations EVERYTHING = new Observations(0, true, true);

  private final Host host;
  private final boolean on;
  private @Nullable Ebb ebb;
  private @Nullable EbbConfig changed;

  SequenceSettings(Host host, boolean on) {
    this.host = host;
    this.on = on;
    if (on) {
      requireUsable(host, host.config().tokens());
    }
  }

  /** Returns what applies changes to the sequences beside those that already are. */
  public SiteConfigAppliers beside(SiteConfigAppliers values) {
    if (!on) {
      return values;
    }
    Map<ConfigKey<?>, Applier> all = new HashMap<>(values.settings());
    for (ConfigKey<?> key : KEYS) {
      Applier own = (next, cause) -> apply(key, next, cause);
      all.merge(
          key,
          own,
          (first, second) ->
              (next, cause) -> {
                first.apply(next, cause);
                second.apply(next, cause);
              });
    }
    return new SiteConfigAppliers(
        all,
        () -> {
          values.pluginsChanged().run();
          pluginsChanged();
        });
  }

  private synchronized void apply(ConfigKey<?> key, EbbConfig next, SwitchCause cause) {
    if (key == TokensConfig.POLICY) {
      requireUsable(host, next.tokens());
    }
    Ebb open = ebb;
    if (open != null && open.isOpen()) {
      apply(open, key, next, cause);
    }
    // Only what was not refused: it also applies to later engines.
    changed = next;
  }

  private static void apply(Ebb open, ConfigKey<?> key, EbbConfig next, SwitchCause cause) {
    Applier applier = open.settings().settings().get(key);
    if (applier != null) {
      applier.apply(next, cause);
    }
  }

  /**
   * Refuses token policies that no engine in another process can use.
   *
   * @throws UserError if one needs data that EBB.SEQ does not carry
   */
  public static void requireUsable(Host host, TokensConfig tokens) {
    Stream.of(
            Stream.of(tokens.policy().name()),
            tokens.layers().stream().map(layers -> layers.policy().name()),
            tokens.pressure().stream().map(rule -> rule.policy().name()))
        .flatMap(names -> names)
        .filter(name -> !name.equals(NoEviction.NAME))
        .forEach(name -> requireUsable(host, tokens, name));
  }

  private static void requireUsable(Host host, TokensConfig tokens, String name) {
    TokenAlias chosen = TokenAlias.resolve(name, tokens.budget().name());
    PolicyPartition partition = new PolicyPartition("tokens", 1_024, System::nanoTime, 1);
    try (StrategyInstance<TokenPolicy> policy =
            host.policies().createTokenPolicy(PolicySpec.of(chosen.policy()), partition);
        StrategyInstance<TokenBudget> budget =
            host.policies().createTokenBudget(chosen.budget(), partition)) {
      Set<Signal> lacking = EVERYTHING.lacking(policy.value().signals());
      lacking.addAll(EVERYTHING.lacking(budget.value().signals()));
      if (!lacking.isEmpty() && tokens.onMissingSignal() == OnMissingSignal.REFUSE) {
        throw new UserError(
            "token policy '%s' needs %s, which engines in other processes cannot provide; choose another ebb.tokens.policy, or set ebb.tokens.on-missing-signal = sliding-window"
                .formatted(name, lacking));
      }
    }
  }

  private synchronized void pluginsChanged() {
    if (ebb != null && ebb.isOpen()) {
      ebb.settings().pluginsChanged().run();
    }
  }

  /** Returns the configuration of token policies as it is now. */
  synchronized TokensConfig tokens() {
    EbbConfig latest = changed;
    return (latest == null ? host.config() : latest).tokens();
  }

  /** Applies what has changed since the start, and what will. */
  synchronized void opened(Ebb opened) {
    EbbConfig latest = changed;
    if (latest != null) {
      KEYS.forEach(key -> apply(opened, key, latest, SwitchCause.START));
    }
    ebb = opened;
  }
}
