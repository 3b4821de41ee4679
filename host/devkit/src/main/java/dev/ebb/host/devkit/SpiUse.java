package dev.ebb.host.devkit;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.plugin.jar.PluginManifest;
import dev.ebb.host.plugin.jar.SpiRange;
import dev.ebb.spi.SpiVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

/**
 * The classes and methods of the SPI that a JAR uses, compared with its {@code Plugin-Requires}.
 */
final class SpiUse {

  private static final String REQUIRES = "Plugin-Requires";

  /** Versions by class and member, of those that are newer than 1.0.0. */
  private static final Map<String, String> SINCE = since();

  private SpiUse() {}

  private static Map<String, String> since() {
    try (InputStream in = requireNonNull(SpiVersion.class.getResourceAsStream("since.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.split(" ", 2))
          .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Returns what the JAR uses although its range allows an SPI without it.
   *
   * @param file a JAR that can be loaded
   * @return the problem and its remedy; empty if there is none
   */
  static String problem(Path file) {
    try (JarFile jar = new JarFile(file.toFile(), false)) {
      Attributes manifest = requireNonNull(jar.getManifest()).getMainAttributes();
      String range = requireNonNull(PluginManifest.shown(manifest, REQUIRES));
      Map<String, String> tooNew = new TreeMap<>(used(jar));
      tooNew.values().removeIf(version -> !SpiRange.allowsBefore(range, version, versions()));
      if (tooNew.isEmpty()) {
        return "";
      }
      String uses =
          tooNew.entrySet().stream()
              .map(each -> "%s (since %s)".formatted(each.getKey(), each.getValue()))
              .collect(Collectors.joining(", "));
      String newest = new TreeSet<>(tooNew.values()).last();
      return "%s '%s' allows an SPI without %s; write '%s'"
          .formatted(REQUIRES, range, uses, SpiRange.from(newest));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Set<String> versions() {
    Set<String> versions = new TreeSet<>(SINCE.values());
    versions.add("1.0.0");
    return versions;
  }

  private static Map<String, String> used(JarFile jar) throws IOException {
    Map<String, String> used = new TreeMap<>();
    for (JarEntry entry : jar.stream().filter(each -> each.getName().endsWith(".class")).toList()) {
      try (InputStream in = jar.getInputStream(entry)) {
        note(in.readAllBytes(), used);
      }
    }
    return used;
  }

  private static void note(byte[] classFile, Map<String, String> used) {
    try {
      for (PoolEntry entry : ClassFile.of().parse(classFile).constantPool()) {
        String name = name(entry);
        String since = SINCE.get(name);
        if (since != null) {
          used.put(name.replace('/', '.'), since);
        }
      }
    } catch (IllegalArgumentException damaged) {
      // The loader reports what is wrong with it.
    }
  }

  private static String name(PoolEntry entry) {
    return switch (entry) {
      case ClassEntry type -> type.asInternalName();
      case MemberRefEntry member ->
          member.owner().asInternalName() + "." + member.name().stringValue();
      default -> "";
    };
  }
}
