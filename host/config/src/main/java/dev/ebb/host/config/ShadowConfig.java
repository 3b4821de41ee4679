package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.Section;
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

  public static final ConfigKey<List<ShadowSpec>> POLICIES =
      ConfigKey.live("shadow.policies", ValueType.POLICIES);
  public static final ConfigKey<Double> RATE = ConfigKey.live("shadow.rate", ValueType.RATE);
  public static final ConfigKey<Boolean> CURVE = ConfigKey.live("shadow.curve", ValueType.FLAG);

  static final Section<ShadowConfig> SECTION =
      new Section<>(ShadowConfig.class, "shadow")
          .key(POLICIES)
          .read(reader -> reader.where(POLICIES))
          .key(RATE)
          .key(CURVE);

  public ShadowConfig {
    policies = List.copyOf(policies);
  }
}
