package dev.ebb.host.switching;

import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.config.OnRemoved;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.Generation;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.Rescan;
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
   * @param plugins the loaded plugins
   * @param switcher the policy switches
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
   * @param dropped JARs that were unloaded
   * @param policy the active policy afterwards
   * @param failures why a JAR that could be loaded was not activated
   */
  public record Result(
      List<String> loaded, List<String> dropped, String policy, List<String> failures) {}

  private record Wanted(StrategyVersion version, SwitchCause cause) {}

  /**
   * Scans the folder and retries JARs that were rejected after loading.
   *
   * @return the changes
   * @throws UserError if the folder cannot be read
   */
  public Result retry() {
    plugins.unbar();
    synchronized (switcher) {
      log.repeat();
    }
    return reload(Set.of());
  }

  /**
   * Scans the folder.
   *
   * @param unsettled files that are still being written; they are skipped
   * @return the changes
   * @throws UserError if the folder cannot be read
   */
  public Result reload(Set<Path> unsettled) {
    // Read before locking: a configuration change holds the other lock and waits for this one.
    String wanted = configured.get();
    synchronized (switcher) {
      Map<String, String> failures = new LinkedHashMap<>();
      while (true) {
        Rescan rescan = plugins.scan(unsettled);
        Wanted next = next(rescan, wanted);
        if (next == null) {
          return accepted(rescan, failures);
        }
        try {
          switcher.switchTo(next.version().name(), next.cause(), rescan);
          return done(rescan, failures);
        } catch (UserError failed) {
          String why = String.join("; ", failed.messages());
          String sha256 = next.version().sha256();
          failures.put(String.valueOf(sha256), next.version() + ": " + why);
          LOG.error(
              "reload failed policy={} file={} reason=\"{}\"",
              next.version(),
              rescan.file(sha256),
              why);
          if (sha256 == null || !replaces(rescan)) {
            return accepted(rescan, failures);
          }
          plugins.dismiss(rescan);
          plugins.bar(
              sha256,
              "it did not take over: %s; 'ebb plugins reload' tries it again".formatted(why));
        }
      }
    }
  }

  /** Returns whether the scan drops the plugin of the active policy. */
  private boolean replaces(Rescan rescan) {
    String plugin = switcher.active().plugin();
    return rescan.dropped().stream().anyMatch(each -> each.id().equals(plugin));
  }

  private Result accepted(Rescan rescan, Map<String, String> failures) {
    plugins.accept(rescan);
    return done(rescan, failures);
  }

  private Result done(Rescan rescan, Map<String, String> failures) {
    log.accepted(rescan, failures.keySet());
    return new Result(
        rescan.fresh().stream().map(Generation::toString).toList(),
        rescan.dropped().stream().map(Generation::toString).toList(),
        switcher.active().name(),
        List.copyOf(failures.values()));
  }

  /** Returns the policy to activate after a scan; null if the active policy stays. */
  private @Nullable Wanted next(Rescan rescan, String wanted) {
    StrategyVersion now = switcher.active();
    if (now.plugin() == null) {
      return wanted.equals(now.name()) ? changedUse(rescan, now) : come(rescan, wanted);
    }
    StrategyVersion same = version(rescan.catalog(), now.name());
    if (same == null) {
      boolean falls =
          plugins.config().onRemoved() == OnRemoved.FALL_BACK && isUnloaded(rescan, now);
      return falls
          ? new Wanted(
              StrategyVersion.builtIn(BuiltInLru.NAME),
              cause(SwitchCause.Kind.REMOVED_JAR, now, rescan))
          : null;
    }
    if (same.equals(now)) {
      return changedUse(rescan, now);
    }
    return switcher.quarantine().of(same) != null ? null : changed(same, rescan);
  }

  /**
   * Returns the active policy, to be recreated with the new code of a predictor or policy that it
   * uses; null if none changed.
   */
  private @Nullable Wanted changedUse(Rescan rescan, StrategyVersion now) {
    PluginCatalog catalog = rescan.catalog();
    for (StrategyVersion used : switcher.uses()) {
      List<StrategyVersion> offered =
          Stream.of(StrategyKind.PREDICTOR, StrategyKind.POLICY)
              .filter(kind -> catalog.names(kind).contains(used.name()))
              .map(kind -> catalog.version(catalog.strategy(kind, used.name())))
              .toList();
      if (!offered.isEmpty() && !offered.contains(used)) {
        return new Wanted(now, changed(offered.getFirst(), rescan).cause());
      }
    }
    return null;
  }

  /**
   * Returns the wanted policy if the scan found a new JAR that provides it and is not in
   * quarantine; null otherwise.
   */
  private @Nullable Wanted come(Rescan rescan, String wanted) {
    StrategyVersion there = version(rescan.catalog(), wanted);
    boolean isNew =
        there != null
            && rescan.fresh().stream().anyMatch(each -> each.sha256().equals(there.sha256()));
    return there == null || !isNew || switcher.quarantine().of(there) != null
        ? null
        : changed(there, rescan);
  }

  private static Wanted changed(StrategyVersion to, Rescan rescan) {
    return new Wanted(to, cause(SwitchCause.Kind.CHANGED_JAR, to, rescan));
  }

  private static SwitchCause cause(SwitchCause.Kind kind, StrategyVersion of, Rescan rescan) {
    Path file = rescan.file(of.sha256());
    String name = file == null ? "" : " (%s)".formatted(file.getFileName());
    return new SwitchCause(kind, UntrustedText.line(of.plugin() + " " + of.version() + name));
  }

  private static boolean isUnloaded(Rescan rescan, StrategyVersion policy) {
    return rescan.dropped().stream().anyMatch(each -> each.sha256().equals(policy.sha256()));
  }

  private static @Nullable StrategyVersion version(PluginCatalog catalog, String policy) {
    return catalog.names(StrategyKind.POLICY).contains(policy)
        ? catalog.version(catalog.strategy(StrategyKind.POLICY, policy))
        : null;
  }
}
