package dev.ebb.host.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import dev.ebb.spi.SettingException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * Turns the tree into records. A wrong value becomes a problem and is replaced by its default, so
 * that the rest is read too.
 */
final class ConfigReader {

  /** The default distance of the target below the threshold. */
  private static final double LEAST_ROOM = 0.04;

  private static final long MAX_VALUE = 512L << 20;

  private final Config user;
  private final Config reference;
  private final Path home;
  private final List<String> problems;

  ConfigReader(Config user, Config reference, Path home, List<String> problems) {
    this.user = user;
    this.reference = reference;
    this.home = home;
    this.problems = problems;
  }

  EbbConfig read() {
    return new EbbConfig(
        pool(),
        eviction(),
        evictionLog(),
        new ShadowConfig(
            read("ebb.shadow.policies", Setting::policies), read("ebb.shadow.rate", Setting::rate)),
        plugins(),
        new TokensReader(this, user.withFallback(reference), problems).read(),
        server(),
        admin(),
        new TenantQuotas(user, problems).read());
  }

  private PoolConfig pool() {
    return new PoolConfig(
        read("ebb.pool.device", setting -> setting.choice(PoolDevice.class)),
        read("ebb.pool.size", Setting::poolSize),
        new DefragConfig(
            read("ebb.pool.defrag.threshold", setting -> setting.number(0, 1)),
            read("ebb.pool.defrag.interval", Setting::interval),
            read("ebb.pool.defrag.slice", Setting::bytes),
            (int)
                (long) read("ebb.pool.defrag.short-run", setting -> setting.integer(1, 1 << 20))));
  }

  private EvictionConfig eviction() {
    double threshold = read("ebb.eviction.threshold", setting -> setting.number(0, 1));
    double target = read("ebb.eviction.target", setting -> setting.number(0, 1));
    if (!user.hasPath("ebb.eviction.target")) {
      target = Math.clamp(Math.rint((threshold - LEAST_ROOM) * 1e6) / 1e6, 0, target);
    } else if (target > threshold) {
      problems.add(
          setting("ebb.eviction.target").problem("must be at most the threshold, " + threshold));
    }
    return new EvictionConfig(
        choice("ebb.eviction.policy"),
        new RulesReader(user.withFallback(reference), problems).read(),
        strategies("ebb.eviction.policies"),
        strategies("ebb.eviction.predictors"),
        threshold,
        target,
        read("ebb.eviction.deadline", Setting::interval),
        (int) (long) read("ebb.eviction.log-size", setting -> setting.integer(1, 1 << 20)),
        read("ebb.eviction.ttl", Setting::duration),
        read("ebb.eviction.pin-budget", Setting::share),
        new ProbationConfig(
            (int)
                (long)
                    read("ebb.eviction.min-access-count", setting -> setting.integer(1, 1_000_000)),
            read("ebb.eviction.probation-ratio", setting -> setting.number(0, 1))));
  }

  private PluginsConfig plugins() {
    return new PluginsConfig(
        path("ebb.plugins.folder"),
        path("ebb.plugins.run"),
        read("ebb.plugins.reload", Setting::flag),
        read("ebb.plugins.rescan", Setting::interval),
        read("ebb.plugins.on-removed", setting -> setting.choice(OnRemoved.class)),
        read("ebb.plugins.allow", Setting::hashes),
        read("ebb.plugins.allow-writable-folder", Setting::flag));
  }

  private EvictionLogConfig evictionLog() {
    return new EvictionLogConfig(
        read("ebb.eviction.log", Setting::flag),
        path("ebb.eviction.log-file"),
        read("ebb.eviction.log-file-size", Setting::bytes),
        (int) (long) read("ebb.eviction.log-files", setting -> setting.integer(1, 20)));
  }

  private ServerConfig server() {
    String password = read("ebb.server.password", Setting::string);
    return new ServerConfig(
        read("ebb.server.bind", Setting::string),
        (int) (long) read("ebb.server.port", setting -> setting.integer(0, 65_535)),
        password.isEmpty() ? null : password,
        read("ebb.server.max-value", setting -> setting.bytes(MAX_VALUE)),
        read("ebb.server.on-full", setting -> setting.choice(OnFullChoice.class)),
        (int) (long) read("ebb.server.threads", setting -> setting.integer(1, 256)));
  }

  private AdminConfig admin() {
    String token = read("ebb.admin.token", Setting::string);
    return new AdminConfig(
        read("ebb.admin.enabled", setting -> setting.choice(AdminChoice.class)),
        read("ebb.admin.bind", Setting::string),
        (int) (long) read("ebb.admin.port", setting -> setting.integer(0, 65_535)),
        token.isEmpty() ? null : token);
  }

  Choice choice(String path) {
    String name = read(path, Setting::string);
    return new Choice(
        name, user.hasPath(path) ? Origins.where(setting(path).value().origin()) : null);
  }

  private Path path(String path) {
    return read(path, setting -> folder(setting)).normalize();
  }

  private Path folder(Setting setting) {
    try {
      return base(setting).resolve(setting.string());
    } catch (InvalidPathException invalid) {
      throw setting.wrong("must be a path: " + invalid.getReason());
    }
  }

  /** Returns the base of relative paths: the folder of the file that sets the value. */
  private Path base(Setting setting) {
    String file = user.hasPath(setting.path()) ? setting.value().origin().filename() : null;
    Path folder = file == null ? null : Path.of(file).toAbsolutePath().getParent();
    return folder == null ? home : folder;
  }

  StrategySettings strategies(String path) {
    return new StrategySettings(path, user.withFallback(reference).getObject(path));
  }

  <T> T read(String path, Function<Setting, T> reading) {
    try {
      return reading.apply(setting(path));
    } catch (SettingException wrong) {
      problems.add(String.valueOf(wrong.getMessage()));
      return reading.apply(new Setting(path, reference.getValue(path)));
    }
  }

  private Setting setting(String path) {
    ConfigValue value = (user.hasPath(path) ? user : reference).getValue(path);
    return new Setting(path, value);
  }
}
