package dev.ebb.host.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** Finds the providers in a JAR that are not listed, without loading a class. */
final class UnlistedProviders {

  private UnlistedProviders() {}

  /** Returns a sentence for each missing line; empty if there is none. */
  static List<String> in(ClassLoader loader) {
    List<String> found = new ArrayList<>();
    if (loader instanceof URLClassLoader files) {
      for (URL file : files.getURLs()) {
        try (JarFile jar = new JarFile(Path.of(file.toURI()).toFile(), false)) {
          for (ZipEntry entry : classes(jar).toList()) {
            found.addAll(hints(jar, entry));
          }
        } catch (IOException | URISyntaxException | RuntimeException unreadable) {
          // The message is then less helpful, but still true.
        }
      }
    }
    return found;
  }

  private static Stream<? extends ZipEntry> classes(JarFile jar) {
    return jar.stream().filter(entry -> entry.getName().endsWith(".class"));
  }

  private static List<String> hints(JarFile jar, ZipEntry entry) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      ClassModel type = ClassFile.of().parse(in.readAllBytes());
      String name = type.thisClass().asInternalName().replace('/', '.');
      List<String> hints = new ArrayList<>();
      for (Class<?> service : StrategyKind.services()) {
        String file = StrategyKind.serviceFile(service);
        if (implementsService(type, service) && !isListed(jar, file, name)) {
          hints.add(
              "%s implements %s, so put the file %s with the line '%s' into the JAR"
                  .formatted(name, service.getName(), file, name));
        }
      }
      return hints;
    }
  }

  private static boolean isListed(JarFile jar, String services, String name) throws IOException {
    ZipEntry file = jar.getEntry(services);
    if (file == null) {
      return false;
    }
    try (InputStream in = jar.getInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .anyMatch(line -> line.strip().equals(name));
    }
  }

  private static boolean implementsService(ClassModel type, Class<?> service) {
    String name = service.getName().replace('.', '/');
    return type.interfaces().stream().anyMatch(each -> each.asInternalName().equals(name));
  }
}
