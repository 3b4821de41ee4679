package dev.ebb.host.plugin;

import dev.ebb.host.plugin.jar.SemanticVersions;
import dev.ebb.spi.SpiVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.Principal;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;
import org.pf4j.AbstractPluginManager;
import org.pf4j.DefaultExtensionFactory;
import org.pf4j.DefaultExtensionFinder;
import org.pf4j.DefaultPluginFactory;
import org.pf4j.ExtensionFactory;
import org.pf4j.ExtensionFinder;
import org.pf4j.JarPluginLoader;
import org.pf4j.JarPluginRepository;
import org.pf4j.ManifestPluginDescriptorFinder;
import org.pf4j.PluginClassLoader;
import org.pf4j.PluginDescriptor;
import org.pf4j.PluginDescriptorFinder;
import org.pf4j.PluginFactory;
import org.pf4j.PluginLoader;
import org.pf4j.PluginManager;
import org.pf4j.PluginRepository;
import org.pf4j.PluginStatusProvider;
import org.pf4j.VersionManager;

/**
 * PF4J for one generation of one plugin: a manager refuses two versions of one id, so each copy has
 * a manager of its own. The plugin's loader sees the contract, the JDK and its own JAR.
 *
 * <p>The super constructor calls the {@code create} methods, so none of them may use a field.
 */
final class IsolatedPluginManager extends AbstractPluginManager {

  IsolatedPluginManager(Path root) {
    super(root);
    setSystemVersion(SpiVersion.current());
  }

  @Override
  protected PluginLoader createPluginLoader() {
    return new IsolatedLoader(this);
  }

  @Override
  protected PluginDescriptorFinder createPluginDescriptorFinder() {
    return new ManifestPluginDescriptorFinder();
  }

  @Override
  protected PluginRepository createPluginRepository() {
    return new JarPluginRepository(getPluginsRoots());
  }

  @Override
  protected PluginFactory createPluginFactory() {
    return new DefaultPluginFactory();
  }

  @Override
  protected ExtensionFactory createExtensionFactory() {
    return new DefaultExtensionFactory();
  }

  @Override
  protected ExtensionFinder createExtensionFinder() {
    return new DefaultExtensionFinder(this);
  }

  @Override
  protected VersionManager createVersionManager() {
    return new SemanticVersions();
  }

  /** Disables PF4J's own files: the plugin folder decides which plugins are loaded. */
  @Override
  protected PluginStatusProvider createPluginStatusProvider() {
    return new PluginStatusProvider() {
      @Override
      public boolean isPluginDisabled(String pluginId) {
        return false;
      }

      @Override
      public void disablePlugin(String pluginId) {}

      @Override
      public void enablePlugin(String pluginId) {}
    };
  }

  private static final class IsolatedLoader extends JarPluginLoader {

    IsolatedLoader(PluginManager manager) {
      super(manager);
    }

    @Override
    protected PluginClassLoader createPluginClassLoader(Path file, PluginDescriptor descriptor) {
      return new IsolatedClassLoader(pluginManager, descriptor);
    }
  }

  private static final class IsolatedClassLoader extends PluginClassLoader {

    private final String label;

    IsolatedClassLoader(PluginManager manager, PluginDescriptor descriptor) {
      super(manager, descriptor, new SpiClassLoader());
      label = descriptor.getPluginId() + "@" + descriptor.getVersion();
    }

    @Override
    protected boolean shouldDelegateToParent(String className) {
      return SpiClassLoader.isShared(className);
    }

    /** Loads a class from the JAR, with {@link GuardedCalls}. */
    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      URL url = findResource(name.replace('.', '/') + ".class");
      if (url != null) {
        try {
          Class<?> changed = guarded(name, url);
          if (changed != null) {
            return changed;
          }
        } catch (IOException unreadable) {
          throw new ClassNotFoundException(name, unreadable);
        }
      }
      return super.findClass(name);
    }

    private @Nullable Class<?> guarded(String name, URL url) throws IOException {
      JarURLConnection connection = (JarURLConnection) url.openConnection();
      // A cached JAR would stay open after the plugin is unloaded.
      connection.setUseCaches(false);
      try (InputStream in = connection.getInputStream()) {
        byte[] changed = GuardedCalls.replaced(in.readAllBytes());
        if (changed == null) {
          return null;
        }
        CodeSource source =
            new CodeSource(connection.getJarFileURL(), connection.getJarEntry().getCodeSigners());
        return defineClass(
            name,
            changed,
            0,
            changed.length,
            new ProtectionDomain(source, null, this, new Principal[0]));
      }
    }

    @Override
    public String toString() {
      return "plugin " + label;
    }
  }
}
