package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** All hostile JARs, compiled in one run of the compiler. */
final class HostileJars {

  private HostileJars() {}

  static List<HostileJar> compiled(Path work) throws IOException {
    List<HostileJar> all = new ArrayList<>();
    all.addAll(HostileArchives.all());
    all.addAll(HostileMethods.all());
    all.addAll(HostileSettings.all());
    all.addAll(HostileThreads.all());
    all.addAll(HostileResources.all());
    assertThat(all.stream().map(jar -> jar.name)).doesNotHaveDuplicates();
    Map<String, byte[]> classes = compile(all, work);
    all.forEach(jar -> jar.compiled(classes));
    return all;
  }

  private static Map<String, byte[]> compile(List<HostileJar> jars, Path work) throws IOException {
    Path classes = Files.createDirectories(work.resolve("classes"));
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-nowarn", "-proc:none", "-cp", PluginJar.libraries()));
    arguments.addAll(List.of("-d", classes.toString()));
    for (HostileJar jar : jars) {
      Path folder = Files.createDirectories(work.resolve("sources").resolve(jar.packageName()));
      Path file = folder.resolve("Bad.java");
      Files.writeString(file, jar.source());
      arguments.add(file.toString());
    }
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, messages, messages, arguments.toArray(String[]::new));
    assertThat(result).as(messages.toString(StandardCharsets.UTF_8)).isZero();
    Map<String, byte[]> read = new HashMap<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        read.put(classes.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    return read;
  }
}
