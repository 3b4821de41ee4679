package dev.ebb.host.config.engine;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.key.ValueType;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.engine}: the clients and peers of {@code ebb engine start}.
 *
 * @param apiKeys the tenant of each key
 * @param prefill the engine that computes long prompts; null for none
 * @param peerKey what engines send each other; null for none
 */
public record EngineConfig(
    Map<String, String> apiKeys,
    boolean sharePrefixes,
    Role role,
    @Nullable URI prefill,
    @Nullable String peerKey) {

  /** What an engine computes. */
  public enum Role {
    /** Prompts and answers. */
    BOTH,
    /** Prompts for other engines. */
    PREFILL,
    /** Answers, and prompts that no other engine computes. */
    DECODE
  }

  private static final ConfigKey<StrategySettings> TENANTS =
      ConfigKey.fixed("engine.tenants", ValueType.SECTION);

  public static final Section<EngineConfig> SECTION =
      new Section<>(EngineConfig.class, "engine")
          .read(EngineConfig::apiKeys, TENANTS)
          .fixed("share-prefixes", ValueType.FLAG)
          .fixed("role", ValueType.choice(Role.class))
          .fixed("prefill", ValueType.OPTIONAL_URL)
          .fixed("peer-key", ValueType.SECRET);

  private static final String API_KEY = "api-key";
  private static final int LONGEST_TENANT = 64;

  public EngineConfig {
    apiKeys = Map.copyOf(apiKeys);
  }

  private static Map<String, String> apiKeys(ConfigReader reader) {
    Map<String, String> keys = new HashMap<>();
    reader
        .sections(TENANTS)
        .forEach((name, tenant) -> {
          String key = reader.read(tenant, setting -> key(name, setting, reader));
          if (key != null && keys.put(key, name) != null) {
            reader.problem(tenant.problem("has the key of another tenant; use another one"));
          }
        });
    return keys;
  }

  private static String key(String name, Setting tenant, ConfigReader reader) {
    reader.refuseOthers(tenant, List.of(API_KEY), any -> "");
    if (name.isBlank() || name.getBytes(StandardCharsets.UTF_8).length > LONGEST_TENANT) {
      throw tenant.wrong("must have a name of 1 to %d bytes".formatted(LONGEST_TENANT));
    }
    Setting value = tenant.inner(API_KEY);
    String key = value == null ? "" : value.string();
    if (key.isBlank()) {
      throw tenant.wrong("needs an api-key, which its clients send");
    }
    return key;
  }

  /** Returns whether a path is that of a key, or of a section with one. */
  public static boolean holdsKey(String path) {
    return path.equals(TENANTS.path()) || path.startsWith(TENANTS.path() + ".");
  }

  /** Returns the number of keys, because their text must not be shown. */
  @Override
  public String toString() {
    return "EngineConfig[%d API keys, sharePrefixes=%s, role=%s, prefill=%s]"
        .formatted(apiKeys.size(), sharePrefixes, role, prefill);
  }
}
