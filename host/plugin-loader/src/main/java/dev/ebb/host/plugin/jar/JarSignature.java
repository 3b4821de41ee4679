package dev.ebb.host.plugin.jar;

import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.units.ByteSize;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.CodeSigner;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;

/** The signatures of a JAR, as {@code jarsigner} makes them. Reading them loads no class. */
final class JarSignature {

  /** The files that cannot be signed, because they are the signature. */
  private static final Pattern SIGNATURE_FILE =
      Pattern.compile(
          "META-INF/(MANIFEST\\.MF|SIG-[^/.]*(\\.[A-Z0-9]{1,3})?|[^/]*\\.(SF|DSA|RSA|EC))");

  /** How much a JAR may have unpacked. */
  private static final long MOST_BYTES = 1L << 30;

  private static final int BUFFER = 64 << 10;

  private JarSignature() {}

  /**
   * Returns those who signed every entry; not empty.
   *
   * @throws PluginRefusal if an entry is not signed, or was changed afterwards
   */
  static Set<CodeSigner> signers(Path file) {
    try (JarFile jar = new JarFile(file.toFile(), true)) {
      Set<CodeSigner> common = null;
      long bytes = 0;
      byte[] buffer = new byte[BUFFER];
      List<JarEntry> entries = jar.stream().toList();
      checkOnce(entries);
      for (JarEntry entry : entries) {
        bytes += read(jar, entry, buffer, MOST_BYTES - bytes);
        if (!isSignature(entry)) {
          CodeSigner[] signers = entry.getCodeSigners();
          Set<CodeSigner> of =
              signers == null ? Set.of() : new LinkedHashSet<>(Arrays.asList(signers));
          if (of.isEmpty()) {
            throw unsigned(entry);
          }
          if (common == null) {
            common = of;
          } else {
            common.retainAll(of);
          }
        }
      }
      for (JarEntry entry : entries) {
        if (entry.getName().toUpperCase(Locale.ENGLISH).matches("META-INF/[^/]*\\.SF")) {
          checkComplete(jar, entry);
        }
      }
      if (common == null || common.isEmpty()) {
        throw new PluginRefusal(
            "no key has signed all of its entries; sign it with jarsigner and one key");
      }
      return common;
    } catch (IOException unreadable) {
      throw new PluginRefusal(
          "its signature cannot be read: %s; copy the JAR again, or build it again"
              .formatted(UntrustedText.line(String.valueOf(unreadable.getMessage()))));
    }
  }

  /**
   * Refuses a JAR with two entries of one name: only one of them is checked. A manifest is found in
   * any case of letters.
   */
  private static void checkOnce(List<JarEntry> entries) {
    Set<String> names = new HashSet<>();
    for (JarEntry entry : entries) {
      String name = entry.getName();
      if (!names.add(name.equalsIgnoreCase(JarFile.MANIFEST_NAME) ? JarFile.MANIFEST_NAME : name)) {
        throw new PluginRefusal(
            "it has two entries '%s', of which a signature covers one; build the JAR without duplicates and sign it again"
                .formatted(UntrustedText.line(name)));
      }
    }
  }

  /** Refuses a JAR without an entry that was signed, because the JDK checks only those it finds. */
  private static void checkComplete(JarFile jar, JarEntry signatureFile) throws IOException {
    Manifest signed;
    try (InputStream in = jar.getInputStream(signatureFile)) {
      signed = new Manifest(in);
    }
    for (String name : signed.getEntries().keySet()) {
      if (jar.getEntry(name) == null) {
        throw new PluginRefusal(
            "its entry '%s' was signed, and is missing; get the JAR from its author again"
                .formatted(UntrustedText.line(name)));
      }
    }
  }

  private static boolean isSignature(JarEntry entry) {
    return entry.isDirectory()
        || SIGNATURE_FILE.matcher(entry.getName().toUpperCase(Locale.ENGLISH)).matches();
  }

  /** Reads an entry to its end, which checks its signature. */
  private static long read(JarFile jar, JarEntry entry, byte[] buffer, long most)
      throws IOException {
    long bytes = 0;
    try (InputStream in = jar.getInputStream(entry)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        bytes += read;
        if (bytes > most) {
          throw new PluginRefusal(
              "it has more than %s unpacked, which is the limit of signed JARs; make it smaller"
                  .formatted(ByteSize.format(MOST_BYTES)));
        }
      }
    } catch (SecurityException changed) {
      throw new PluginRefusal(
          "its entry '%s' does not match the signature: %s; get the JAR from its author again"
              .formatted(
                  UntrustedText.line(entry.getName()),
                  UntrustedText.line(String.valueOf(changed.getMessage()))));
    }
    return bytes;
  }

  private static PluginRefusal unsigned(JarEntry entry) {
    return new PluginRefusal(
        "its entry '%s' is not signed, which ebb.plugins.require-signature needs; sign the JAR with jarsigner, and with an algorithm that the JDK does not disable"
            .formatted(UntrustedText.line(entry.getName())));
  }
}
