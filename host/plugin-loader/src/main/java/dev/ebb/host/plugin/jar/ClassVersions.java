package dev.ebb.host.plugin.jar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** Finds classes that this Java cannot run, before one of them is loaded in the middle of a run. */
final class ClassVersions {

  private static final int MAGIC = 0xCAFEBABE;
  private static final char PREVIEW = 0xFFFF;
  private static final int START = 8;
  private static final String SUFFIX = ".class";

  /** Java 1.1 wrote class files of version 45. */
  private static final int BEFORE_JAVA_1 = 44;

  private ClassVersions() {}

  /** Describes the problem of the first such class; empty if all can run. */
  static Optional<String> problem(JarFile jar) throws IOException {
    for (ZipEntry entry : jar.stream().filter(ClassVersions::isClass).toList()) {
      try (InputStream in = jar.getInputStream(entry)) {
        byte[] start = in.readNBytes(START);
        String problem = start.length < START ? "" : problem(entry, ByteBuffer.wrap(start));
        if (!problem.isEmpty()) {
          return Optional.of(problem);
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isClass(ZipEntry entry) {
    return entry.getName().endsWith(SUFFIX) && !entry.getName().startsWith("META-INF/");
  }

  private static String problem(ZipEntry entry, ByteBuffer start) {
    boolean damaged = start.getInt() != MAGIC;
    char minor = start.getChar();
    int java = start.getChar() - BEFORE_JAVA_1;
    int running = Runtime.version().feature();
    String name = entry.getName().replace(SUFFIX, "").replace('/', '.');
    if (damaged) {
      return "";
    }
    if (java > running) {
      return "%s was compiled for Java %d, but Ebb runs on Java %d; compile it with --release %d or lower"
          .formatted(name, java, running, running);
    }
    return minor == PREVIEW
        ? "%s was compiled with --enable-preview; compile it without".formatted(name)
        : "";
  }
}
