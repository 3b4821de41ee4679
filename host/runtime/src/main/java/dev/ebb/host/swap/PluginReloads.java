package dev.ebb.host.swap;

import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.config.OnRemoved;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.Generation;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.Rescan;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.plugin.StrategyVersion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over what has changed in the drop-in folder. If the active policy comes from another JAR
 * then, it is switched with it; if that fails, neither is taken over.
 */
public final class PluginReloads {

  private static final Logger LOG = LoggerFactory.getLogger(PluginReloads.class);

  private final PluginHost plugins;
  private final PolicySwaps swaps;
  private final Supplier<String> configured;

  /**
   * Reloads for a serving process.
   *
   * @param plugins what is loaded
   * @param swaps what is active
   * @param configured the name of the policy that is wanted, which may have failed
   */
  public PluginReloads(PluginHost plugins, PolicySwaps swaps, Supplier<String> configured) {
    this.plugins = plugins;
    this.swaps = swaps;
    this.configured = configured;
  }

  /**
   * What a look at the folder led to.
   *
   * @param loaded JARs that were loaded, as id and version
   * @param dropped those that do not serve any more
   * @param policy the active policy afterwards
   * @param failures why a JAR was not taken over though it could be loaded
   */
  public record Result(
      List<String> loaded, List<String> dropped, String policy, List<String> failures) {}

  private record Wanted(StrategyVersion version, SwapCause cause) {}

  /**
   * Looks at the folder, those JARs included that were refused after they had been loaded.
   *
   * @return what has changed
   * @throws UserError if the folder cannot be read
   */
  public Result retry() {
    plugins.unbar();
    return reload(Set.of());
  }

  /**
   * Looks at the folder.
   *
   * @param unsettled files that are still being written, and not to be looked at
   * @return what has changed
   * @throws UserError if the folder cannot be read
   */
  public Result reload(Set<Path> unsettled) {
    // Before the lock: who changes the configuration holds the other one and waits for this.
    String wanted = configured.get();
    synchronized (swaps) {
      List<String> failures = new ArrayList<>();
      while (true) {
        Rescan rescan = plugins.scan(unsettled);
        Wanted next = next(rescan, wanted);
        if (next == null) {
          return accepted(rescan, failures);
        }
        try {
          swaps.swap(next.version().name(), next.cause(), rescan);
          return done(rescan, failures);
        } catch (UserError failed) {
          String why = String.join("; ", failed.messages());
          failures.add(next.version() + ": " + why);
          LOG.error("reload failed policy={} reason=\"{}\"", next.version(), why);
          String sha256 = next.version().sha256();
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

  /**
   * Returns whether the plugin of the active policy would go, which must not be for a failure's
   * sake.
   */
  private boolean replaces(Rescan rescan) {
    String plugin = swaps.active().plugin();
    return rescan.dropped().stream().anyMatch(each -> each.id().equals(plugin));
  }

  private Result accepted(Rescan rescan, List<String> failures) {
    plugins.accept(rescan);
    return done(rescan, failures);
  }

  private Result done(Rescan rescan, List<String> failures) {
    return new Result(
        rescan.fresh().stream().map(Generation::toString).toList(),
        rescan.dropped().stream().map(Generation::toString).toList(),
        swaps.active().name(),
        failures);
  }

  /** What is to be activated with what was found; null if what is stays. */
  private @Nullable Wanted next(Rescan rescan, String wanted) {
    StrategyVersion now = swaps.active();
    if (now.plugin() == null) {
      return wanted.equals(now.name()) ? null : come(rescan, wanted);
    }
    StrategyVersion same = version(rescan.catalog(), now.name());
    if (same == null) {
      boolean falls =
          plugins.config().onRemoved() == OnRemoved.FALL_BACK && isUnloaded(rescan, now);
      return falls
          ? new Wanted(
              StrategyVersion.builtIn(BuiltInLru.NAME),
              new SwapCause(SwapCause.Kind.REMOVED_JAR, now.plugin() + " " + now.version()))
          : null;
    }
    if (same.equals(now)) {
      return changedPredictor(rescan.catalog(), now);
    }
    return swaps.quarantine().of(same) != null ? null : changed(same);
  }

  /** Returns the active policy is made again with the new code of a predictor that it uses. */
  private @Nullable Wanted changedPredictor(PluginCatalog catalog, StrategyVersion now) {
    for (StrategyVersion used : swaps.predictors()) {
      if (catalog.names(StrategyKind.PREDICTOR).contains(used.name())) {
        StrategyVersion next =
            catalog.version(catalog.strategy(StrategyKind.PREDICTOR, used.name()));
        if (!next.equals(used)) {
          return new Wanted(now, changed(next).cause());
        }
      }
    }
    return null;
  }

  /**
   * Returns a plugin is there now that has the policy that is wanted, which the host's order stands
   * for.
   */
  private @Nullable Wanted come(Rescan rescan, String wanted) {
    StrategyVersion there = version(rescan.catalog(), wanted);
    boolean isNew =
        there != null
            && rescan.fresh().stream().anyMatch(each -> each.sha256().equals(there.sha256()));
    return there == null || !isNew || swaps.quarantine().of(there) != null ? null : changed(there);
  }

  private static Wanted changed(StrategyVersion to) {
    return new Wanted(
        to, new SwapCause(SwapCause.Kind.CHANGED_JAR, to.plugin() + " " + to.version()));
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
