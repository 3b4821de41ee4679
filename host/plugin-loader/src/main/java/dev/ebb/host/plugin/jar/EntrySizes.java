package dev.ebb.host.plugin.jar;

import dev.ebb.host.errors.UntrustedText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Refuses a JAR with an oversized file among those that are read whole: a few kilobytes can unpack
 * to gigabytes. The sizes that the JAR declares are not trusted.
 */
final class EntrySizes {

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
