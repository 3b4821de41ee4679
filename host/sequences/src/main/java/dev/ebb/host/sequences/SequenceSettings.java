package dev.ebb.host.sequences;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.TokensConfig;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.runtime.SiteConfigAppliers;
import dev.ebb.host.runtime.SiteConfigAppliers.Applier;
import dev.ebb.host.switching.SwitchCause;
import dev.ebb.host.tokens.TokenAlias;
import dev.ebb.host.wiring.Host;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Applies changes of the configuration to the sequences, also those before they are opened. */
public final class SequenceSettings {

  private static final List<ConfigKey<?>> KEYS =
      List.of(EvictionConfig.TTL, EvictionConfig.PIN_BUDGET, TokensConfig.POLICY);

  private final Host host;
  private final boolean on;
  private @Nullable Ebb ebb;
  private @Nullable EbbConfig changed;

  SequenceSettings(Host host, boolean on) {
    this.host = host;
    this.on = on;
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
    String policy = TokenAlias.policyOf(next.tokens().policy().name());
    if (key == TokensConfig.POLICY && !policy.equals(NoEviction.NAME)) {
      var _ = host.plugins().strategy(StrategyKind.TOKEN_POLICY, policy);
    }
    changed = next;
    Ebb open = ebb;
    if (open != null) {
      Applier applier = open.settings().settings().get(key);
      if (applier != null) {
        applier.apply(next, cause);
      }
    }
  }

  private synchronized void pluginsChanged() {
    if (ebb != null) {
      ebb.settings().pluginsChanged().run();
    }
  }

  /** Applies what has changed since the start, and what will. */
  synchronized void opened(Ebb opened) {
    ebb = opened;
    EbbConfig latest = changed;
    if (latest != null) {
      KEYS.forEach(key -> apply(key, latest, SwitchCause.START));
    }
  }
}
