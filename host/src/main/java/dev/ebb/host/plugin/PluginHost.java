package dev.ebb.host.plugin;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.errors.UserError;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Owns what is loaded from the drop-in folder, from {@link #open} to {@link #close}. */
public final class PluginHost implements AutoCloseable {

  private final EbbConfig config;
  private List<Generation> generations = List.of();
  private @Nullable PluginCatalog catalog;
  private @Nullable Staging staging;

  /**
   * A host that has loaded nothing yet.
   *
   * @param config says where plugins are, and who serves a name that several offer
   */
  @Inject
  public PluginHost(EbbConfig config) {
    this.config = config;
  }

  /**
   * Scans the drop-in folder and loads what can be loaded, in place of what was loaded before.
   *
   * @throws UserError if the folder cannot be read, or there is no room for private copies
   */
  public void open() {
    close();
    List<Path> jars = PluginFolder.jars(config.plugins().folder());
    Staging copies = Staging.in(config.plugins().run());
    staging = copies;
    PluginScan scan = new PluginScan(copies);
    scan.run(jars);
    copies.settle();
    generations = List.copyOf(scan.generations());
    catalog = new PluginCatalog(config, generations, scan.reports());
  }

  /**
   * What was found.
   *
   * @return the catalog of the last {@link #open}
   */
  public PluginCatalog catalog() {
    PluginCatalog opened = catalog;
    if (opened == null) {
      throw new IllegalStateException("the plugin host is not open");
    }
    return opened;
  }

  /** Unloads everything. Instances must be closed before. */
  @Override
  public void close() {
    generations.forEach(Generation::close);
    generations = List.of();
    catalog = null;
    if (staging != null) {
      staging.close();
      staging = null;
    }
  }
}
