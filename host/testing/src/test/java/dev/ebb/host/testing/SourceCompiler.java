package dev.ebb.host.testing;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.BlockPolicy;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles plugin sources against the contract alone, as a plugin's own build would. */
final class SourceCompiler {

  private static final Map<Map<String, String>, Map<String, byte[]>> COMPILED =
      new ConcurrentHashMap<>();

  private SourceCompiler() {}

  /** Returns class files by their path in a JAR, from sources by class name. */
  static Map<String, byte[]> compile(Map<String, String> sources, List<Path> libraries) {
    return sources.isEmpty()
        ? Map.of()
        : COMPILED.computeIfAbsent(Map.copyOf(sources), copy -> compileUncached(copy, libraries));
  }

  static Path spi() {
    return library(BlockPolicy.class);
  }

  /** Returns the JAR or folder a class came from. */
  static Path library(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static Map<String, byte[]> compileUncached(
      Map<String, String> sources, List<Path> libraries) {
    try {
      Path out = Files.createTempDirectory("plugin-classes");
      try {
        return compileInto(out, sources, libraries);
      } finally {
        delete(out);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static Map<String, byte[]> compileInto(
      Path out, Map<String, String> sources, List<Path> libraries) throws IOException {
    StringWriter messages = new StringWriter();
    JavaCompiler compiler = requireNonNull(ToolProvider.getSystemJavaCompiler());
    List<SourceText> units =
        sources.entrySet().stream().map(e -> new SourceText(e.getKey(), e.getValue())).toList();
    String classPath =
        libraries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    List<String> options = List.of("-d", out.toString(), "-classpath", classPath, "-proc:none");
    if (!compiler.getTask(messages, null, null, options, null, units).call()) {
      throw new IllegalArgumentException(messages.toString());
    }
    return classesIn(out);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static Map<String, byte[]> classesIn(Path folder) throws IOException {
    Map<String, byte[]> classes = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        classes.put(
            folder.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
      }
    }
    return classes;
  }

  private static final class SourceText extends SimpleJavaFileObject {

    private final String text;

    SourceText(String className, String text) {
      super(
          URI.create("string:///" + className.replace('.', '/') + ".java"),
          JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
