package dev.ebb.host.config;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.ebb.host.config.engine.EngineConfig;
import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.engine.SchedulerConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.server.AdminConfig;
import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.config.server.ServerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every key of the configuration. The records of the sections declare their types, and {@code
 * reference.conf} their defaults and meanings. {@code ReferenceTest} compares the two, and the
 * tables of {@code docs/configuration.md} with them.
 */
public final class ConfigKeys {

  public static final String ROOT = "ebb";

  /** Every key, in the order of {@code reference.conf}. */
  public static final List<ConfigKey<?>> ALL =
      Stream.of(
              PoolConfig.KEYS,
              DefragConfig.KEYS,
              OffloadConfig.KEYS,
              DiskTierConfig.KEYS,
              RemoteTierConfig.KEYS,
              EvictionConfig.KEYS,
              ProbationConfig.KEYS,
              EvictionLogConfig.KEYS,
              ShadowConfig.KEYS,
              StateConfig.KEYS,
              TenantQuota.KEYS,
              ServerConfig.KEYS,
              ClientLimits.KEYS,
              KvEventsConfig.KEYS,
              AdminConfig.KEYS,
              LogConfig.KEYS,
              TracingConfig.KEYS,
              ClusterConfig.KEYS,
              PluginsConfig.KEYS,
              TokensConfig.KEYS,
              SchedulerConfig.KEYS,
              EngineConfig.KEYS)
          .map(SectionKeys::all)
          .<ConfigKey<?>>flatMap(Collection::stream)
          .toList();

  private static final Map<String, ConfigKey<?>> BY_PATH =
      ALL.stream().collect(Collectors.toUnmodifiableMap(ConfigKey::path, Function.identity()));

  /** The default values. */
  public static final Config DEFAULTS = ConfigFactory.parseString(defaults());

  private ConfigKeys() {}

  private static String defaults() {
    try (InputStream in = requireNonNull(ConfigKeys.class.getResourceAsStream("reference.conf"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Finds a key.
   *
   * @param path its full path, or a path below it if it is a section
   */
  public static Optional<ConfigKey<?>> find(String path) {
    ConfigKey<?> exact = BY_PATH.get(path);
    int end = path.lastIndexOf('.');
    return exact == null && end > 0
        ? find(path.substring(0, end)).filter(ConfigKey::isSection)
        : Optional.ofNullable(exact);
  }
}
