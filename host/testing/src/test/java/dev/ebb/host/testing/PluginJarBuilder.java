package dev.ebb.host.testing;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.TokenPolicyProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * Builds a real plugin JAR from Java sources: compiled, with manifest and service files. Everything
 * is valid unless a test changes it, so that each test breaks one thing.
 */
public final class PluginJarBuilder {

  private final Map<String, String> manifest = new LinkedHashMap<>();
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, byte[]> entries = new TreeMap<>();
  private final List<Path> libraries = new ArrayList<>(List.of(SourceCompiler.spi()));
  private boolean withManifest = true;
  private int classFileVersion;

  private PluginJarBuilder(String id) {
    manifest.put("Plugin-Id", id);
    manifest.put("Plugin-Version", "1.0.0");
    manifest.put("Plugin-Requires", ">=1.0.0 & <2.0.0");
  }

  /** Returns a plugin that offers nothing yet. */
  public static PluginJarBuilder plugin(String id) {
    return new PluginJarBuilder(id);
  }

  /** Sets {@code Plugin-Version}. */
  public PluginJarBuilder version(String version) {
    return manifest("Plugin-Version", version);
  }

  /** Sets an attribute of the manifest. */
  public PluginJarBuilder manifest(String name, String value) {
    manifest.put(name, value);
    return this;
  }

  /** Leaves an attribute of the manifest out. */
  public PluginJarBuilder without(String name) {
    manifest.remove(name);
    return this;
  }

  /** Leaves the whole manifest out. */
  public PluginJarBuilder withoutManifest() {
    withManifest = false;
    return this;
  }

  /** Adds a policy of that name that evicts the oldest entry. */
  public PluginJarBuilder policy(String name) {
    return policy(name, "");
  }

  /**
   * Adds a policy of that name.
   *
   * @param inCreate statements that run in {@code create(PolicyContext context)}
   */
  public PluginJarBuilder policy(String name, String inCreate) {
    return policy(name, inCreate, "new Policy()");
  }

  /**
   * Adds a policy of that name that evicts the entry of the lowest rank.
   *
   * @param rank an expression of {@code Entry entry} and {@code PolicyContext context}
   */
  public PluginJarBuilder rankedPolicy(String name, String rank) {
    return policy(
        name, "", "new Policy() { protected double rank(Entry entry) { return " + rank + "; } }");
  }

  private PluginJarBuilder policy(String name, String inCreate, String created) {
    String type = typeOf(name);
    return provider(
        type,
        """
        package acme;

        import dev.ebb.spi.*;

        public final class %s implements BlockPolicyProvider {
          public String name() { return "%s"; }

          public BlockPolicy<?> create(PolicyContext context) {
            %s
            return %s;
          }

          public enum Ageing { NONE, DYNAMIC }

          static class Policy extends RankedBlockPolicy {
            protected double rank(Entry entry) { return entry.createdTick(); }
          }
        }
        """
            .formatted(type.substring("acme.".length()), name, inCreate, created));
  }

  /** Adds a token policy of that name that keeps the newest tokens. */
  public PluginJarBuilder tokenPolicy(String name) {
    return tokenPolicy(name, "", "SEQUENCE", "out[i] = i;");
  }

  /**
   * Adds a token policy of that name, which runs under pressure.
   *
   * @param signals the signals that it needs, such as {@code Signal.QUERY_MEAN}
   * @param granularity the name of its granularity
   * @param score a statement that sets {@code out[i]}
   */
  public PluginJarBuilder tokenPolicy(
      String name, String signals, String granularity, String score) {
    String type = typeOf(name);
    return source(
            type,
            """
            package acme;

            import dev.ebb.spi.*;
            import java.util.Set;

            public final class %s implements TokenPolicyProvider {
              public String name() { return "%s"; }

              public TokenPolicy create(PolicyContext context) {
                return new TokenPolicy() {
                  public Set<Signal> signals() { return Set.of(%s); }

                  public Granularity granularity() { return Granularity.%s; }

                  public Trigger trigger() { return Trigger.UNDER_PRESSURE; }

                  public void score(TokenView view, int layer, float[] out) {
                    for (int i = 0; i < view.length(); i++) {
                      %s
                    }
                  }
                };
              }
            }
            """
                .formatted(type.substring("acme.".length()), name, signals, granularity, score))
        .service(TokenPolicyProvider.class, type);
  }

  /** Adds the source of a block policy provider, and lists it. */
  public PluginJarBuilder provider(String className, String source) {
    return source(className, source).service(BlockPolicyProvider.class, className);
  }

  /** Adds a source. */
  public PluginJarBuilder source(String className, String source) {
    sources.put(className, source);
    return this;
  }

  /** Lists a class as a provider, whether it exists or not. */
  public PluginJarBuilder service(Class<?> service, String className) {
    String file = "META-INF/services/" + service.getName();
    byte[] before = entries.getOrDefault(file, new byte[0]);
    return entry(file, new String(before, StandardCharsets.UTF_8) + className + "\n");
  }

  /** Adds any file. */
  public PluginJarBuilder entry(String path, String text) {
    entries.put(path, text.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** Adds a class of the contract, as a build without scope {@code provided} does. */
  public PluginJarBuilder bundling(Class<?> spiClass) {
    String path = spiClass.getName().replace('.', '/') + ".class";
    try (InputStream in = requireNonNull(spiClass.getResourceAsStream("/" + path))) {
      entries.put(path, in.readAllBytes());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return this;
  }

  /** Puts the library of that class on the compiler's class path. */
  public PluginJarBuilder compiledAgainst(Class<?> type) {
    libraries.add(SourceCompiler.library(type));
    return this;
  }

  /** Marks the classes as compiled for another Java. */
  public PluginJarBuilder compiledForJava(int release) {
    classFileVersion = 44 + release;
    return this;
  }

  /** Writes the JAR into a folder, over one of that name. */
  public Path writeTo(Path folder, String fileName) {
    Path file = folder.resolve(fileName);
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out)) {
      if (withManifest) {
        write(jar, "META-INF/MANIFEST.MF", manifestText());
      }
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        write(jar, entry.getKey(), entry.getValue());
      }
      for (Map.Entry<String, byte[]> entry :
          SourceCompiler.compile(sources, libraries).entrySet()) {
        write(jar, entry.getKey(), stamped(entry.getValue()));
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return ownersOnly(file);
  }

  /** Restricts the file to its owner, whatever the umask of the test run. */
  private static Path ownersOnly(Path file) {
    try {
      return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private byte[] manifestText() {
    StringBuilder text = new StringBuilder("Manifest-Version: 1.0\r\n");
    manifest.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
    return text.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  private byte[] stamped(byte[] classFile) {
    byte[] copy = classFile.clone();
    if (classFileVersion != 0) {
      copy[6] = (byte) (classFileVersion >> 8);
      copy[7] = (byte) classFileVersion;
    }
    return copy;
  }

  private static void write(JarOutputStream jar, String path, byte[] content) throws IOException {
    JarEntry entry = new JarEntry(path);
    entry.setTime(0);
    jar.putNextEntry(entry);
    jar.write(content);
    jar.closeEntry();
  }

  private static String typeOf(String name) {
    StringBuilder type = new StringBuilder("acme.");
    for (String part : name.split("-", -1)) {
      type.append(part.substring(0, 1).toUpperCase(Locale.ROOT)).append(part.substring(1));
    }
    return type + "Provider";
  }
}
