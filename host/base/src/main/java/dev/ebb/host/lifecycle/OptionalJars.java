package dev.ebb.host.lifecycle;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** JARs beside Ebb's libraries that only some processes need, and which others do not search. */
public final class OptionalJars {

  private static final Map<String, ClassLoader> LOADERS = new ConcurrentHashMap<>();

  private OptionalJars() {}

  /**
   * Returns a loader of the classes in a folder and of Ebb's own, always the same one. It is never
   * closed: what it loaded may run until the process exits.
   *
   * @param name of a folder beside that of the libraries; it need not exist
   */
  public static ClassLoader loader(String name) {
    return loader(name, OptionalJars.class.getClassLoader());
  }

  /** Returns a loader of the classes in a folder, and of those of another loader. */
  public static ClassLoader loader(String name, ClassLoader parent) {
    return LOADERS.computeIfAbsent(name, folder -> create(folder, parent));
  }

  private static ClassLoader create(String name, ClassLoader own) {
    File[] files = folder(name).toFile().listFiles((dir, file) -> file.endsWith(".jar"));
    if (files == null || files.length == 0) {
      return own;
    }
    Arrays.sort(files);
    return new URLClassLoader(
        name, Arrays.stream(files).map(OptionalJars::url).toArray(URL[]::new), own);
  }

  public static Path folder(String name) {
    try {
      Path library =
          Path.of(OptionalJars.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return library.resolveSibling("").resolveSibling(name);
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static URL url(File file) {
    try {
      return file.toURI().toURL();
    } catch (MalformedURLException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
