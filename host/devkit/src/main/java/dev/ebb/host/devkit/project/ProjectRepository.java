package dev.ebb.host.devkit.project;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The Maven repository inside a project: the JARs that it needs, their sources and POMs, and the
 * checksums, without which Maven warns about each file with a stack trace.
 */
final class ProjectRepository {

  private final String version;
  private final Map<String, byte[]> files = new TreeMap<>();

  private ProjectRepository(String version) {
    this.version = version;
  }

  /**
   * Returns the files by path, relative to the project.
   *
   * @throws UserError if a JAR cannot be read
   */
  static Map<String, byte[]> of(Libraries libraries) {
    ProjectRepository repository = new ProjectRepository(libraries.version());
    repository.add("ebb-spi", "spi.pom", libraries.spi());
    repository.add("ebb-spi-testkit", "testkit.pom", libraries.testkit());
    return repository.files;
  }

  private void add(String artifact, String pom, Path jar) {
    String base = "repository/dev/ebb/%s/%s/%s-%s".formatted(artifact, version, artifact, version);
    String text = Template.fill(pom, Map.of("copy", version), UnaryOperator.identity());
    add(base + ".pom", text.getBytes(StandardCharsets.UTF_8));
    add(base + ".jar", read(jar));
    Path sources = Libraries.sources(jar);
    if (Files.exists(sources)) {
      add(base + Libraries.SOURCES, read(sources));
    }
  }

  private void add(String file, byte[] content) {
    files.put(file, content);
    files.put(file + ".sha1", sha1(content).getBytes(StandardCharsets.US_ASCII));
  }

  static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException unreadable) {
      throw new UserError("Ebb's own JAR '%s' cannot be read: %s".formatted(file, unreadable));
    }
  }

  private static String sha1(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(content));
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
