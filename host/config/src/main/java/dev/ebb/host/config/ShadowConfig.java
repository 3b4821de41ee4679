package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.shadow}.
 *
 * @param where the file and line that list the policies; null by default
 * @param rate the share of sampled keys; 0 for automatic
 * @param curve whether the hit ratio with other amounts of memory is measured
 */
public record ShadowConfig(
    List<ShadowSpec> policies, @Nullable String where, double rate, boolean curve) {

  /** Each shadow policy has its own thread, and its own simulated caches on the heap. */
  public static final int MOST = 32;

  static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<List<ShadowSpec>> POLICIES =
      KEYS.key("shadow.policies", "[]", ValueType.POLICIES)
          .live(
              "[Shadow policies](shadows.md), such as `[sieve, \"lfu(ageing=dynamic)\", \"active@2x\"]`.");
  public static final ConfigKey<Double> RATE =
      KEYS.key("shadow.rate", "auto", ValueType.RATE)
          .live("Share of keys to sample. `auto` is usually accurate to half a percentage point.");
  public static final ConfigKey<Boolean> CURVE =
      KEYS.key("shadow.curve", "true", ValueType.FLAG)
          .live(
              "Measure the [memory curve](shadows.md#more-or-less-memory) from the first eviction on.");

  public ShadowConfig {
    policies = List.copyOf(policies);
  }

  static ShadowConfig read(ConfigReader reader) {
    return new ShadowConfig(
        reader.get(POLICIES), reader.where(POLICIES), reader.get(RATE), reader.get(CURVE));
  }
}
