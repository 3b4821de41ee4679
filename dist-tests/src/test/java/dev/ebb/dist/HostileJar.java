package dev.ebb.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** A plugin JAR that is hostile in one way, and good otherwise. */
final class HostileJar {

  /** How an attack may end. */
  enum Outcome {
    /** Ebb did not load the JAR. */
    REFUSED,
    /** The JAR was loaded, and the switch to its policy failed. */
    SWITCH_FAILED,
    /** The policy was active, failed, and is in quarantine. */
    QUARANTINED,
    /** The policy was active until the operator chose another one. */
    SERVED,
    /** The process ended. */
    ENDED
  }

  /** Puts something into the plugin folder that no JAR tool would write. */
  interface Dropped {
    void into(Path file) throws IOException;
  }

  final String group;
  final String name;
  final Set<Outcome> expected;
  private final Map<String, String> manifest = new LinkedHashMap<>();
  private final Map<String, byte[]> entries = new TreeMap<>();
  private String source = "";
  private Dropped dropped = this::write;
  private Map<String, byte[]> classes = Map.of();

  HostileJar(String group, String name, Outcome first, Outcome... others) {
    this.group = group;
    this.name = name;
    expected = EnumSet.of(first, others);
    manifest.put("Plugin-Id", name);
    manifest.put("Plugin-Version", "1.0.0");
    manifest.put("Plugin-Requires", ">=1.0.0 & <2.0.0");
    entry("META-INF/services/dev.ebb.spi.BlockPolicyProvider", packageName() + ".Bad");
    code(Map.of());
  }

  /** Returns the package of its classes, so that the sources of all can be compiled together. */
  String packageName() {
    return "acme." + name.replace('-', '_');
  }

  /** Adds statements or members to the policy: {@link HostileSource} lists the places. */
  HostileJar code(Map<String, String> statements) {
    source = HostileSource.of(packageName(), name, statements);
    return this;
  }

  HostileJar manifest(String attribute, String value) {
    manifest.put(attribute, value);
    return this;
  }

  HostileJar entry(String path, String text) {
    return entry(path, text.getBytes(StandardCharsets.UTF_8));
  }

  HostileJar entry(String path, byte[] content) {
    entries.put(path, content);
    return this;
  }

  HostileJar service(String lines) {
    return entry("META-INF/services/dev.ebb.spi.BlockPolicyProvider", lines);
  }

  /** Changes the bytes of each of its classes. */
  HostileJar changedClasses(Consumer<byte[]> change) {
    return dropped(file -> {
      classes.values().forEach(change);
      write(file);
    });
  }

  HostileJar dropped(Dropped other) {
    dropped = other;
    return this;
  }

  String source() {
    return source;
  }

  void compiled(Map<String, byte[]> all) {
    String prefix = packageName().replace('.', '/') + "/";
    classes = new TreeMap<>(all);
    classes.keySet().removeIf(path -> !path.startsWith(prefix));
  }

  void drop(Path file) throws IOException {
    dropped.into(file);
  }

  /** Writes the JAR under another name first, so that the server finds it whole. */
  void write(Path file) throws IOException {
    Path written = file.resolveSibling("." + file.getFileName());
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(written))) {
      if (!manifest.isEmpty()) {
        StringBuilder text = new StringBuilder("Manifest-Version: 1.0\r\n");
        manifest.forEach((key, value) -> text.append(key + ": " + value + "\r\n"));
        put(jar, "META-INF/MANIFEST.MF", (text + "\r\n").getBytes(StandardCharsets.UTF_8));
      }
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        put(jar, entry.getKey(), entry.getValue());
      }
      for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
        put(jar, entry.getKey(), entry.getValue());
      }
    }
    Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rw-r--r--"));
    Files.move(written, file);
  }

  private static void put(JarOutputStream jar, String path, byte[] content) throws IOException {
    jar.putNextEntry(new JarEntry(path));
    jar.write(content);
    jar.closeEntry();
  }

  @Override
  public String toString() {
    return group + ": " + name;
  }
}
