package dev.ebb.host.switching;

import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.config.PluginsConfig.OnRemoved;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.Generation;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.PluginUpdate;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.plugin.StrategyVersion;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads changes in the plugin folder. If the active policy's JAR changes, the policy is switched in
 * the same step. If the switch fails, neither change takes effect.
 */
public final class PluginReloads {

  private static final Logger LOG = LoggerFactory.getLogger(PluginReloads.class);

  private final PluginHost plugins;
  private final PolicySwitcher switcher;
  private final Supplier<String> configured;
  private final PluginLog log = new PluginLog();

  /**
   * Creates the reloads of a process.
   *
   * @param configured returns the name of the policy that should be active, which may have failed
   */
  public PluginReloads(PluginHost plugins, PolicySwitcher switcher, Supplier<String> configured) {
    this.plugins = plugins;
    this.switcher = switcher;
    this.configured = configured;
    log.opened(plugins.catalog());
  }

  /**
   * The result of a folder scan.
   *
   * @param loaded JARs that were loaded, as id and version
   * @param failures why a JAR that could be loaded was not activated
   */
  public record Result(
      List<String> loaded, List<String> dropped, String policy, List<String> failures) {}

  private record Wanted(StrategyVersion version, SwitchCause cause) {}

  /**
   * Scans the folder and retries JARs that were rejected after loading.
   *
   * @throws UserError if the folder cannot be read
   */
  public Result retry() {
    plugins.unblock();
    synchronized (switcher) {
      log.repeat();
    }
    return reload(Set.of());
  }

  /**
   * Scans the folder.
   *
   * @param unsettled files that are still being written; they are skipped
   * @throws UserError if the folder cannot be read
   */
  public Result reload(Set<Path> unsettled) {
    // Read before locking: a configuration change holds the other lock and waits for this one.
    String wanted = configured.get();
    synchronized (switcher) {
      Map<String, String> failures = new LinkedHashMap<>();
      while (true) {
        PluginUpdate update = plugins.scan(unsettled);
        Wanted next = next(update, wanted);
        if (next == null) {
          return accepted(update, failures);
        }
        try {
          switcher.switchTo(next.version().name(), next.cause(), update);
          return done(update, failures);
        } catch (UserError failed) {
          String why = String.join("; ", failed.messages());
          String sha256 = next.version().sha256();
          failures.put(String.valueOf(sha256), next.version() + ": " + why);
          LOG.error(
              "reload failed policy={} file={} reason=\"{}\"",
              next.version(),
              update.file(sha256),
              why);
          if (sha256 == null || !replaces(update)) {
            return accepted(update, failures);
          }
          plugins.discard(update);
          plugins.block(
              sha256,
              "it did not take over: %s; 'ebb plugins reload' tries it again".formatted(why));
        }
      }
    }
  }

  /** Returns whether the scan drops the plugin of the active policy. */
  private boolean replaces(PluginUpdate update) {
    String plugin = switcher.active().plugin();
    return update.removed().stream().anyMatch(each -> each.id().equals(plugin));
  }

  private Result accepted(PluginUpdate update, Map<String, String> failures) {
    plugins.accept(update);
    return done(update, failures);
  }

  private Result done(PluginUpdate update, Map<String, String> failures) {
    log.accepted(update, failures.keySet());
    return new Result(
        update.added().stream().map(Generation::toString).toList(),
        update.removed().stream().map(Generation::toString).toList(),
        switcher.active().name(),
        List.copyOf(failures.values()));
  }

  /** Returns the policy to activate after a scan; null if the active policy stays. */
  private @Nullable Wanted next(PluginUpdate update, String wanted) {
    StrategyVersion now = switcher.active();
    if (now.plugin() == null) {
      return wanted.equals(now.name()) ? changedUse(update, now) : come(update, wanted);
    }
    StrategyVersion same = version(update.catalog(), now.name());
    if (same == null) {
      boolean falls =
          plugins.config().onRemoved() == OnRemoved.FALL_BACK && isUnloaded(update, now);
      return falls
          ? new Wanted(
              StrategyVersion.builtIn(BuiltInLru.NAME),
              cause(SwitchCause.Kind.REMOVED_JAR, now, update))
          : null;
    }
    if (same.equals(now)) {
      return changedUse(update, now);
    }
    return switcher.quarantine().of(same) != null ? null : changed(same, update);
  }

  /**
   * Returns the active policy, to be recreated with the new code of a predictor or policy that it
   * uses; null if none changed.
   */
  private @Nullable Wanted changedUse(PluginUpdate update, StrategyVersion now) {
    PluginCatalog catalog = update.catalog();
    for (StrategyVersion used : switcher.uses()) {
      List<StrategyVersion> offered =
          Stream.of(StrategyKind.PREDICTOR, StrategyKind.POLICY)
              .filter(kind -> catalog.names(kind).contains(used.name()))
              .map(kind -> catalog.version(catalog.strategy(kind, used.name())))
              .toList();
      if (!offered.isEmpty() && !offered.contains(used)) {
        return new Wanted(now, changed(offered.getFirst(), update).cause());
      }
    }
    return null;
  }

  /**
   * Returns the wanted policy if the scan found a new JAR that provides it and is not in
   * quarantine; null otherwise.
   */
  private @Nullable Wanted come(PluginUpdate update, String wanted) {
    StrategyVersion there = version(update.catalog(), wanted);
    boolean isNew =
        there != null
            && update.added().stream().anyMatch(each -> each.sha256().equals(there.sha256()));
    return there == null || !isNew || switcher.quarantine().of(there) != null
        ? null
        : changed(there, update);
  }

  private static Wanted changed(StrategyVersion to, PluginUpdate update) {
    return new Wanted(to, cause(SwitchCause.Kind.CHANGED_JAR, to, update));
  }

  private static SwitchCause cause(SwitchCause.Kind kind, StrategyVersion of, PluginUpdate update) {
    Path file = update.file(of.sha256());
    String name = file == null ? "" : " (%s)".formatted(file.getFileName());
    return new SwitchCause(kind, UntrustedText.line(of.plugin() + " " + of.version() + name));
  }

  private static boolean isUnloaded(PluginUpdate update, StrategyVersion policy) {
    return update.removed().stream().anyMatch(each -> each.sha256().equals(policy.sha256()));
  }

  private static @Nullable StrategyVersion version(PluginCatalog catalog, String policy) {
    return catalog.names(StrategyKind.POLICY).contains(policy)
        ? catalog.version(catalog.strategy(StrategyKind.POLICY, policy))
        : null;
  }
}
