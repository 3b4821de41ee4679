package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Builds a plugin JAR as a third party would: javac, the SPI's JAR, nothing else. */
final class PluginJar {

  private final Map<String, String> manifest = new LinkedHashMap<>();
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final List<String> providers = new ArrayList<>();
  private boolean bundled;

  PluginJar(String id, String version) {
    manifest.put("Plugin-Id", id);
    manifest.put("Plugin-Version", version);
    manifest.put("Plugin-Requires", ">=1.0.0 & <2.0.0");
  }

  PluginJar with(String attribute, String value) {
    manifest.put(attribute, value);
    return this;
  }

  PluginJar withoutManifest() {
    manifest.clear();
    return this;
  }

  PluginJar withBundledSpi() {
    bundled = true;
    return this;
  }

  /** A policy that evicts what was inserted first, under the given name. */
  PluginJar policy(String className, String name) {
    return policy(className, name, "");
  }

  PluginJar policy(String className, String name, String inConstructor) {
    sources.put(
        className,
        """
        package acme;

        import dev.ebb.spi.BlockPolicy;
        import dev.ebb.spi.BlockPolicyProvider;
        import dev.ebb.spi.Entry;
        import dev.ebb.spi.PolicyContext;
        import dev.ebb.spi.RankedBlockPolicy;

        public final class %1$s implements BlockPolicyProvider {
          public %1$s() { %3$s }

          @Override public String name() { return "%2$s"; }

          @Override public BlockPolicy<?> create(PolicyContext context) {
            return new RankedBlockPolicy() {
              @Override protected double rank(Entry entry) { return entry.createdTick(); }
            };
          }
        }
        """
            .formatted(className, name, inConstructor));
    providers.add("acme." + className);
    return this;
  }

  void build(Path jar) {
    try {
      Path work = Files.createTempDirectory(jar.toAbsolutePath().getParent(), ".build");
      Path classes = Files.createDirectories(work.resolve("classes"));
      Path spi = spiJar();
      List<String> arguments =
          new ArrayList<>(List.of("-cp", spi.toString(), "-d", classes.toString()));
      for (Map.Entry<String, String> source : sources.entrySet()) {
        Path file = work.resolve(source.getKey() + ".java");
        Files.writeString(file, source.getValue());
        arguments.add(file.toString());
      }
      StringWriter messages = new StringWriter();
      int result =
          ToolProvider.getSystemJavaCompiler()
              .run(null, null, null, arguments.toArray(String[]::new));
      assertThat(result).as(messages.toString()).isZero();
      write(jar, classes, spi);
      Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(Path jar, Path classes, Path spi) throws IOException {
    Manifest written = new Manifest();
    written.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.forEach((key, value) -> written.getMainAttributes().putValue(key, value));
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream zip =
            manifest.isEmpty() ? new JarOutputStream(out) : new JarOutputStream(out, written);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        put(zip, classes.relativize(file).toString(), Files.readAllBytes(file));
      }
      put(
          zip,
          "META-INF/services/dev.ebb.spi.BlockPolicyProvider",
          String.join("\n", providers).getBytes(java.nio.charset.StandardCharsets.UTF_8));
      if (bundled) {
        try (JarFile from = new JarFile(spi.toFile())) {
          for (JarEntry entry :
              from.stream().filter(e -> e.getName().endsWith(".class")).toList()) {
            put(zip, entry.getName(), from.getInputStream(entry).readAllBytes());
          }
        }
      }
    }
  }

  private static void put(JarOutputStream zip, String name, byte[] content) throws IOException {
    zip.putNextEntry(new JarEntry(name));
    zip.write(content);
    zip.closeEntry();
  }

  /** Returns the class path with all that a plugin can use. */
  static String libraries() throws IOException {
    return spiJar() + File.pathSeparator + library("slf4j-api-[0-9].*");
  }

  private static Path spiJar() throws IOException {
    return library("ebb-spi-[0-9].*");
  }

  private static Path library(String name) throws IOException {
    try (Stream<Path> files = Files.list(Ebb.ROOT.resolve("dist/target/ebb/lib"))) {
      return files
          .filter(file -> file.getFileName().toString().matches(name))
          .findFirst()
          .orElseThrow();
    }
  }
}
