package dev.ebb.host.plugin;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of the host that plugins see: the contract and its guard, above the JDK. It returns no
 * resources, so that a plugin finds only its own services and defaults.
 */
final class SpiClassLoader extends ClassLoader {

  private static final List<String> SHARED = List.of("dev.ebb.spi.", "org.pf4j.", "org.slf4j.");

  /** Called by the classes of plugins instead of the JDK. */
  private static final String GUARD = PluginGuard.class.getName();

  SpiClassLoader() {
    super("ebb-spi", ClassLoader.getPlatformClassLoader());
  }

  static boolean isShared(String className) {
    return SHARED.stream().anyMatch(className::startsWith) || className.equals(GUARD);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (isShared(name)) {
      return SpiClassLoader.class.getClassLoader().loadClass(name);
    }
    throw new ClassNotFoundException(name);
  }

  @Override
  public @Nullable URL getResource(String name) {
    return null;
  }

  @Override
  public Enumeration<URL> getResources(String name) {
    return Collections.emptyEnumeration();
  }
}
