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
 */
public record ShadowConfig(
    List<ShadowSpec> policies, @Nullable String where, double rate, boolean curve) {

  /** Each shadow policy has its own thread, and its own simulated caches on the heap. */
  public static final int MOST = 32;

  static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<List<ShadowSpec>> POLICIES =
      KEYS.live("shadow.policies", ValueType.POLICIES);
  public static final ConfigKey<Double> RATE = KEYS.live("shadow.rate", ValueType.RATE);
  public static final ConfigKey<Boolean> CURVE = KEYS.live("shadow.curve", ValueType.FLAG);

  public ShadowConfig {
    policies = List.copyOf(policies);
  }

  static ShadowConfig read(ConfigReader reader) {
    return new ShadowConfig(
        reader.get(POLICIES), reader.where(POLICIES), reader.get(RATE), reader.get(CURVE));
  }
}
