package dev.ebb.host.plugin.jar;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.ebb.host.config.hocon.UntrustedHocon;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The content of a JAR, read before any class of it is loaded.
 *
 * @param unended the last line of the manifest's file if it has no line end, and so is not read
 * @param bundlesSpi whether it contains the host's own contract
 * @param unusable the problems of a class that this Java cannot run and of {@code reference.conf}
 * @param defaults its {@code reference.conf}, strategy names at the root; empty if it has none
 */
public record JarContent(
    Attributes manifest,
    String unended,
    boolean bundlesSpi,
    List<String> unusable,
    Config defaults) {

  static final String DEFAULTS = "reference.conf";
  private static final Pattern SPI_CLASS =
      Pattern.compile("(META-INF/versions/\\d+/)?dev/ebb/spi/.*\\.class");

  public static JarContent read(Path file) {
    try {
      EntrySizes.check(file);
      return readChecked(file);
    } catch (IOException | SecurityException unreadable) {
      throw new PluginRefusal(reason(unreadable));
    }
  }

  /**
   * Returns why a JAR cannot be opened: Java cannot open names with characters outside its locale.
   */
  private static String reason(Exception unreadable) {
    return unreadable.getCause() instanceof InvalidPathException
        ? "its name has characters outside the locale of this process (sun.jnu.encoding = '%s'); start Ebb with LC_ALL=C.UTF-8, or give the file a name of ASCII letters"
            .formatted(System.getProperty("sun.jnu.encoding"))
        : "it cannot be read as a JAR: %s; it is truncated or not a JAR: copy it again, or build it again"
            .formatted(UntrustedText.line(String.valueOf(unreadable.getMessage())));
  }

  private static JarContent readChecked(Path file) throws IOException {
    try (JarFile jar = new JarFile(file.toFile(), false)) {
      Manifest manifest = jar.getManifest();
      if (manifest == null) {
        throw new PluginRefusal(
            "it has no META-INF/MANIFEST.MF; add one with Plugin-Id, Plugin-Version and"
                + " Plugin-Requires");
      }
      boolean bundlesSpi =
          jar.stream().anyMatch(entry -> SPI_CLASS.matcher(entry.getName()).matches());
      List<String> unusable = new ArrayList<>();
      ClassVersions.problem(jar).ifPresent(unusable::add);
      Config defaults = defaults(jar, unusable);
      return new JarContent(
          manifest.getMainAttributes(), unended(jar), bundlesSpi, unusable, defaults);
    }
  }

  /** Refuses a JAR that cannot be loaded, with every problem to fix. */
  public PluginManifest judge() {
    List<String> problems = new ArrayList<>(PluginManifest.problems(manifest, unended));
    if (bundlesSpi) {
      problems.add(
          "it contains the classes of dev.ebb.spi; leave dev/ebb/spi out of the JAR (in Maven:"
              + " declare ebb-spi with scope 'provided') and build it again");
    }
    problems.addAll(unusable);
    if (!problems.isEmpty()) {
      throw new PluginRefusal(String.join(". Also: ", problems));
    }
    return PluginManifest.of(manifest);
  }

  private static String unended(JarFile jar) throws IOException {
    ZipEntry entry = jar.getEntry(JarFile.MANIFEST_NAME);
    if (entry == null) {
      return "";
    }
    try (InputStream in = jar.getInputStream(entry)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.substring(1 + Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')));
    }
  }

  private static Config defaults(JarFile jar, List<String> problems) throws IOException {
    ZipEntry entry = jar.getEntry(DEFAULTS);
    if (entry == null) {
      return ConfigFactory.empty();
    }
    try (InputStream in = jar.getInputStream(entry)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return UntrustedHocon.parse(text, DEFAULTS);
    } catch (ConfigException malformed) {
      problems.add(said(malformed) + "; correct it and build the JAR again");
    } catch (UserError refused) {
      problems.add(said(refused));
    }
    return ConfigFactory.empty();
  }

  private static String said(RuntimeException refused) {
    return UntrustedText.line(String.valueOf(refused.getMessage()));
  }

  /**
   * Refuses a JAR with an oversized file among those that are read whole: a few kilobytes can
   * unpack to gigabytes. The sizes that the JAR declares are not trusted.
   */
  private static final class EntrySizes {

    private static final int MOST = 1 << 20;

    private EntrySizes() {}

    static void check(Path file) throws IOException {
      // Not as a JAR: that would read the manifest.
      try (ZipFile zip = new ZipFile(file.toFile())) {
        for (ZipEntry entry : zip.stream().filter(EntrySizes::isReadWhole).toList()) {
          check(zip, entry);
        }
      }
    }

    private static void check(ZipFile zip, ZipEntry entry) throws IOException {
      try (InputStream in = zip.getInputStream(entry)) {
        if (in.readNBytes(MOST + 1).length > MOST) {
          throw new PluginRefusal(
              "%s is larger than 1 MiB unpacked, which is the limit; make it smaller and build the JAR again"
                  .formatted(UntrustedText.line(entry.getName())));
        }
      }
    }

    /** Returns whether it is read whole; a manifest is found in any case of letters. */
    private static boolean isReadWhole(ZipEntry entry) {
      String name = entry.getName();
      return name.equalsIgnoreCase(JarFile.MANIFEST_NAME)
          || name.equals(JarContent.DEFAULTS)
          || name.startsWith("META-INF/services/");
    }
  }

  /**
   * Finds classes that this Java cannot run, before one of them is loaded in the middle of a run.
   */
  private static final class ClassVersions {

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
}
