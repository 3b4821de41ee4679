package dev.ebb.host.plugin;

import java.io.IOException;
import java.net.URLClassLoader;
import java.util.List;
import org.pf4j.PluginState;
import org.pf4j.PluginWrapper;

/**
 * One loaded copy of one plugin JAR: its class loader and the strategies made from it. Nothing of
 * it stays in memory once it is closed, its instances are closed, and nobody holds it.
 */
public final class Generation implements AutoCloseable {

  private final StagedJar jar;
  private final PluginManifest manifest;
  private final IsolatedPluginManager manager;
  private final List<Strategy<?>> strategies;

  private Generation(
      StagedJar jar,
      PluginManifest manifest,
      IsolatedPluginManager manager,
      List<Strategy<?>> strategies) {
    this.jar = jar;
    this.manifest = manifest;
    this.manager = manager;
    this.strategies = strategies;
  }

  /** Loads a staged copy, or refuses it and leaves nothing behind. */
  static Generation load(StagedJar jar, JarContent content) {
    PluginManifest manifest = content.judge();
    IsolatedPluginManager manager = new IsolatedPluginManager(jar.copy());
    try {
      String id = manager.loadPlugin(jar.copy());
      start(manager.getPlugin(id));
      List<Strategy<?>> strategies =
          new Providers(manager.getPluginClassLoader(id), id, content.defaults()).find();
      return new Generation(jar, manifest, manager, strategies);
    } catch (PluginRefusal refusal) {
      unload(manager);
      throw refusal;
    } catch (Throwable thrown) {
      unload(manager);
      throw new PluginRefusal(Words.of(thrown));
    }
  }

  /**
   * The plugin's name across its versions.
   *
   * @return {@code Plugin-Id}
   */
  public String id() {
    return manifest.id();
  }

  /**
   * The plugin's version.
   *
   * @return {@code Plugin-Version}
   */
  public String version() {
    return manifest.version();
  }

  /**
   * The identity of the copy: the same hash is the same code.
   *
   * @return SHA-256 in hexadecimal
   */
  public String sha256() {
    return jar.sha256();
  }

  /**
   * What the plugin offers.
   *
   * @return at least one strategy
   */
  public List<Strategy<?>> strategies() {
    return strategies;
  }

  /** Unloads the copy. An instance still in use fails at its next class, so close those first. */
  @Override
  public void close() {
    unload(manager);
  }

  @Override
  public String toString() {
    return id() + "@" + version();
  }

  /** A plugin needs no {@code Plugin-Class}; one that has it is started as PF4J promises. */
  private static void start(PluginWrapper plugin) {
    String type = plugin.getDescriptor().getPluginClass();
    if (plugin.getPlugin() == null) {
      throw new PluginRefusal(
          "Plugin-Class '"
              + type
              + "' must be a public class that extends org.pf4j.Plugin; a plugin needs none");
    }
    if (plugin.getPluginManager().startPlugin(plugin.getPluginId()) != PluginState.STARTED) {
      throw new PluginRefusal(
          "Plugin-Class '" + type + "' failed in start: " + Words.of(plugin.getFailedException()));
    }
  }

  /** Goes on whatever a plugin's stop throws: an open loader would keep its JAR and classes. */
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
      // The copy is private and never overwritten; the collector closes what is left.
    }
  }
}
