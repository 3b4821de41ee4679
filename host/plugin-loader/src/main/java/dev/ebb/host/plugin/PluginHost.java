package dev.ebb.host.plugin;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PluginsConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.jar.FolderTrust;
import dev.ebb.host.plugin.jar.JarContent;
import dev.ebb.host.plugin.jar.PluginFolder;
import dev.ebb.host.plugin.jar.PluginRefusal;
import dev.ebb.host.plugin.jar.StagedJar;
import dev.ebb.host.plugin.jar.Staging;
import dev.ebb.host.plugin.jar.TrustedSigners;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Owns everything loaded from the plugin folder, from {@link #open} to {@link #close}. Another scan
 * is loaded beside the active catalog and replaces it when accepted. Generations that no longer
 * serve are unloaded when nothing of them is in use.
 */
public final class PluginHost implements AutoCloseable {

  /** How many JARs can be restored. The copies of older ones are deleted. */
  private static final int MOST_KNOWN = 32;

  private final EbbConfig config;
  private final AtomicLong changes = new AtomicLong();
  private final LoaderWatch watch = new LoaderWatch();
  private final Map<String, String> blocked = new HashMap<>();

  /** The JARs that can be restored, by hash; the longest unused first. */
  private final Map<String, StagedJar> known = new LinkedHashMap<>(16, 0.75f, true);

  private Consumer<UnloadReport> unloaded = unloading -> {};
  private List<Generation> generations = List.of();
  private volatile @Nullable PluginCatalog catalog;
  private @Nullable Staging staging;

  /**
   * Creates a host that has loaded nothing yet.
   *
   * @param config the plugin folder, and the plugins that serve ambiguous names
   */
  @Inject
  public PluginHost(EbbConfig config) {
    this.config = config;
  }

  /**
   * Scans the plugin folder and loads its plugins, replacing those loaded before.
   *
   * @throws UserError if the folder cannot be read, other users can write it, or there is no room
   *     for private copies
   */
  public synchronized void open() {
    close();
    PluginFolder.jars(folder());
    FolderTrust.checkFolder(folder(), config.plugins());
    Staging copies = Staging.in(config.plugins().run());
    staging = copies;
    accept(scan(Set.of()));
    copies.settle();
  }

  /**
   * Scans the folder again and loads new JARs, without activating them.
   *
   * @param unsettled files that are still being written, to be ignored
   * @return to be accepted or discarded, before the next scan
   * @throws UserError if the folder cannot be read, or other users can write it
   */
  public synchronized PluginUpdate scan(Set<Path> unsettled) {
    return scan(unsettled, generations);
  }

  private PluginUpdate scan(Set<Path> unsettled, List<Generation> base) {
    Staging copies = staging;
    if (copies == null) {
      throw new IllegalStateException("the plugin host is not open");
    }
    copies.begin();
    List<Path> jars = PluginFolder.jars(folder());
    FolderTrust.checkFolder(folder(), config.plugins());
    PluginScan.Rules rules =
        new PluginScan.Rules(config.plugins(), requiredSigners(), Map.copyOf(blocked), unsettled);
    PluginScan scan = new PluginScan(copies, rules, watch, base);
    scan.run(jars);
    return new PluginUpdate(
        new PluginCatalog(config, scan.generations(), scan.reports()),
        scan.generations(),
        generations,
        scan.times());
  }

  /**
   * Loads the earlier copy of a JAR, as if the folder still had it, and bars its replacement.
   * Nothing is activated.
   *
   * @param plugin the plugin's id
   * @param why the reason for the report of the replaced JAR
   * @return to be accepted or discarded, before the next scan
   * @throws UserError if the copy is gone or cannot be loaded
   */
  public synchronized PluginUpdate restore(String plugin, String sha256, String why) {
    StagedJar copy = known.get(sha256);
    if (copy == null) {
      throw new UserError(
          "the copy '%s' of plugin '%s' has been deleted".formatted(sha256, plugin));
    }
    Generation restored = load(copy);
    List<Generation> others =
        generations.stream().filter(each -> each.id().equals(plugin)).toList();
    others.forEach(each -> block(each.sha256(), why));
    blocked.remove(sha256);
    List<Generation> base = new ArrayList<>(generations);
    base.removeAll(others);
    base.add(restored);
    // It is about to be used, so its absence from the folder does not matter.
    try (Lease _ = restored.lease()) {
      PluginUpdate update = scan(Set.of(), base);
      if (update.generations().contains(restored)) {
        return update;
      }
      discard(update);
      throw new UserError(reason(update, restored));
    } catch (RuntimeException failed) {
      others.forEach(each -> unblock(each.sha256()));
      restored.close();
      throw failed;
    }
  }

  private String reason(PluginUpdate update, Generation restored) {
    boolean another =
        update.generations().stream().anyMatch(each -> each.id().equals(restored.id()));
    return another
        ? "the plugin folder '%s' has another JAR of plugin '%s'; remove it first"
            .formatted(folder(), restored.id())
        : "the plugin folder '%s' no longer has '%s', and ebb.plugins.on-removed forbids using its copy; put the JAR there again"
            .formatted(folder(), restored);
  }

  /** Returns those who must have signed JARs; null if JARs need no signature. */
  private @Nullable TrustedSigners requiredSigners() {
    return config.plugins().requireSignature() ? TrustedSigners.of(config.plugins()) : null;
  }

  private Generation load(StagedJar copy) {
    TrustedSigners signers = requiredSigners();
    try {
      if (signers != null) {
        signers.check(copy.copy());
      }
      return Generation.load(copy, JarContent.read(copy.copy()), watch);
    } catch (PluginRefusal refusal) {
      throw new UserError(
          "the copy '%s' cannot be loaded again: %s".formatted(copy.copy(), refusal.reason()));
    }
  }

  /**
   * Activates a scan. Generations that it does not contain are unloaded once unused.
   *
   * @param update the last one
   */
  public synchronized void accept(PluginUpdate update) {
    List<Generation> removed = update.removed();
    boolean changed = !removed.isEmpty() || !update.added().isEmpty();
    generations = update.generations();
    generations.forEach(generation -> known.put(generation.sha256(), generation.jar()));
    catalog = update.catalog();
    if (changed) {
      changes.incrementAndGet();
    }
    removed.forEach(generation -> generation.retire(unloaded));
    deleteOldCopies();
  }

  /**
   * Unloads the copies loaded for a scan.
   *
   * @param update the last one
   */
  public synchronized void discard(PluginUpdate update) {
    update.added().forEach(generation -> generation.retire(unloaded));
    deleteOldCopies();
  }

  private void deleteOldCopies() {
    Iterator<String> oldest = known.keySet().iterator();
    for (int over = known.size() - MOST_KNOWN; over > 0; over--) {
      oldest.next();
      oldest.remove();
    }
    if (staging != null) {
      Set<String> needed = new HashSet<>(known.keySet());
      generations.forEach(generation -> needed.add(generation.sha256()));
      staging.keep(needed);
    }
  }

  /**
   * Checks that the folder still has the JAR of a strategy. Its copy may serve what uses it
   * already.
   *
   * @throws UserError if the JAR was removed
   */
  public synchronized void checkPresent(StrategyVersion strategy) {
    generations.stream()
        .filter(each -> each.sha256().equals(strategy.sha256()))
        .map(each -> each.jar().file())
        .filter(Files::notExists)
        .findFirst()
        .ifPresent(file -> {
          throw new UserError(
              "'%s' cannot be activated because its JAR '%s' was removed from the plugin folder; put the JAR there again"
                  .formatted(strategy.name(), file.getFileName()));
        });
  }

  /**
   * Keeps a JAR from serving.
   *
   * @param sha256 its hash
   * @param why the reason for its report
   */
  public synchronized void block(String sha256, String why) {
    blocked.put(sha256, why);
  }

  /**
   * Reverts {@link #block}.
   *
   * @param sha256 the JAR's hash
   */
  public synchronized void unblock(String sha256) {
    blocked.remove(sha256);
  }

  /** Allows all blocked JARs again. */
  public synchronized void unblock() {
    blocked.clear();
    changes.incrementAndGet();
  }

  /**
   * Registers a listener for every unloaded generation.
   *
   * @param listener quick; may be called by any thread
   */
  public synchronized void onUnload(Consumer<UnloadReport> listener) {
    unloaded = listener;
  }

  /**
   * Returns whether the folder must be scanned although nothing in it has changed.
   *
   * @return true if an unused generation serves that the folder does not have, or there was no room
   *     for the copy of a JAR
   */
  public synchronized boolean isOverdue() {
    if (staging != null && staging.hasFailed()) {
      return true;
    }
    List<Path> jars = PluginFolder.jars(folder());
    return generations.stream()
        .anyMatch(each -> !each.isUsed() && !jars.contains(each.jar().file()));
  }

  /** Returns the number of unloaded class loaders that are still in memory. */
  public int uncollected() {
    return watch.uncollected();
  }

  /** Returns the active catalog. */
  public PluginCatalog catalog() {
    PluginCatalog opened = catalog;
    if (opened == null) {
      throw new IllegalStateException("the plugin host is not open");
    }
    return opened;
  }

  /**
   * Returns how often the active JARs changed, or blocked ones were allowed. Never waits for a
   * scan.
   *
   * @return a number that only grows
   */
  public long changes() {
    return changes.get();
  }

  /** Returns the plugin folder and its rules. */
  public PluginsConfig config() {
    return config.plugins();
  }

  private Path folder() {
    return config.plugins().folder();
  }

  /** Unloads everything. Instances must be closed before. */
  @Override
  public synchronized void close() {
    generations.forEach(Generation::close);
    generations = List.of();
    catalog = null;
    if (staging != null) {
      staging.close();
      staging = null;
    }
  }
}
