package dev.ebb.host.plugin;

import dev.ebb.host.plugin.jar.JarContent;
import dev.ebb.host.plugin.jar.PluginManifest;
import dev.ebb.host.plugin.jar.PluginRefusal;
import dev.ebb.host.plugin.jar.StagedJar;
import java.io.IOException;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pf4j.PluginState;
import org.pf4j.PluginWrapper;

/**
 * One loaded copy of one plugin JAR: its class loader and the strategies made from it. It is
 * unloaded when it is retired and the last {@link Lease} is closed, because an instance in use
 * would fail at its next class. Then nothing of it stays in memory, though this object may.
 */
public final class Generation implements AutoCloseable {

  private final StagedJar jar;
  private final PluginManifest manifest;
  private final LoaderWatch watch;
  private @Nullable IsolatedPluginManager manager;
  private List<Strategy<?>> strategies;
  private Consumer<UnloadReport> listener = unloading -> {};
  private int leases;
  private boolean retired;

  private Generation(
      StagedJar jar,
      PluginManifest manifest,
      IsolatedPluginManager manager,
      List<Strategy<?>> strategies,
      LoaderWatch watch) {
    this.jar = jar;
    this.manifest = manifest;
    this.watch = watch;
    this.manager = manager;
    this.strategies = strategies;
  }

  /** Loads a staged copy, or refuses it and leaves nothing behind. */
  static Generation load(StagedJar jar, JarContent content, LoaderWatch watch) {
    PluginManifest manifest = content.judge();
    IsolatedPluginManager manager = new IsolatedPluginManager(jar.copy());
    try {
      String id = manager.loadPlugin(jar.copy());
      start(manager.getPlugin(id));
      List<Strategy<?>> strategies =
          new Providers(manager.getPluginClassLoader(id), id, content.defaults()).find();
      return new Generation(jar, manifest, manager, strategies, watch);
    } catch (PluginRefusal refusal) {
      unload(manager);
      throw refusal;
    } catch (Throwable thrown) {
      unload(manager);
      throw new PluginRefusal(PluginErrors.of(thrown));
    }
  }

  /** Returns the plugin's name across its versions. */
  public String id() {
    return manifest.id();
  }

  /** Returns the plugin's version. */
  public String version() {
    return manifest.version();
  }

  /** Returns the SHA-256 of the copy in hexadecimal: the same hash is the same code. */
  public String sha256() {
    return jar.sha256();
  }

  /** Returns the strategies that the plugin offers; none once it is unloaded. */
  public synchronized List<Strategy<?>> strategies() {
    return strategies;
  }

  StagedJar jar() {
    return jar;
  }

  /** Keeps the classes loaded until the lease is closed; null if they are already unloaded. */
  public synchronized @Nullable Lease lease() {
    if (manager == null) {
      return null;
    }
    leases++;
    AtomicBoolean over = new AtomicBoolean();
    return () -> {
      if (over.compareAndSet(false, true)) {
        returned();
      }
    };
  }

  /** Returns whether anything made from it is in use. */
  synchronized boolean isUsed() {
    return leases > 0;
  }

  /** Unloads it as soon as nothing made from it is in use. */
  void retire(Consumer<UnloadReport> unloaded) {
    boolean unused;
    synchronized (this) {
      retired = true;
      listener = unloaded;
      unused = leases == 0;
    }
    if (unused) {
      close();
    }
  }

  private void returned() {
    boolean last;
    synchronized (this) {
      leases--;
      last = leases == 0 && retired;
    }
    if (last) {
      close();
    }
  }

  /** Unloads the copy now. An instance still in use fails at its next class. */
  @Override
  public void close() {
    IsolatedPluginManager unloaded;
    Consumer<UnloadReport> hearer;
    boolean watched;
    synchronized (this) {
      watched = retired;
      unloaded = manager;
      hearer = listener;
      manager = null;
      strategies = List.of();
    }
    if (unloaded == null) {
      return;
    }
    ClassLoader loader = unloaded.getPluginClassLoader(id());
    long start = System.nanoTime();
    unload(unloaded);
    UnloadReport unloading = new UnloadReport(this, Duration.ofNanos(System.nanoTime() - start));
    // A close at the end of the process does not wait for the collector.
    if (watched) {
      watch.watch(loader, unloading);
      hearer.accept(unloading);
    }
  }

  @Override
  public String toString() {
    return id() + "@" + version();
  }

  /**
   * Starts the plugin. It needs no {@code Plugin-Class}; one that has it is started as PF4J
   * promises.
   */
  private static void start(PluginWrapper plugin) {
    String type = plugin.getDescriptor().getPluginClass();
    if (plugin.getPlugin() == null) {
      throw new PluginRefusal(
          "Plugin-Class '"
              + type
              + "' must be a public class that extends org.pf4j.Plugin; fix it, or remove the"
              + " optional Plugin-Class");
    }
    if (plugin.getPluginManager().startPlugin(plugin.getPluginId()) != PluginState.STARTED) {
      throw new PluginRefusal(
          "Plugin-Class '"
              + type
              + "' failed in start: "
              + PluginErrors.of(plugin.getFailedException()));
    }
  }

  /** Continues whatever a plugin's stop throws: an open loader would keep its JAR and classes. */
  private static void unload(IsolatedPluginManager manager) {
    for (PluginWrapper plugin : manager.getPlugins()) {
      try {
        manager.stopPlugin(plugin.getPluginId());
        manager.unloadPlugin(plugin.getPluginId());
      } catch (Throwable thrown) {
        plugin.setFailedException(null);
      }
      closeLoader(plugin.getPluginClassLoader());
    }
  }

  private static void closeLoader(ClassLoader loader) {
    try {
      ((URLClassLoader) loader).close();
    } catch (IOException leftOpen) {
      // The copy is private and never overwritten; the collector closes the rest.
    }
  }
}
