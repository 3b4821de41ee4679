package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.PluginsConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.jar.PluginRefusal;
import dev.ebb.host.plugin.jar.TrustedSigners;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.testing.TestSigner;
import dev.ebb.host.testing.TestTimestamps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JARs that must be signed, by keys of keytool and signatures of the JDK's jarsigner. */
class SignedJarsTest {

  @TempDir private static Path authors;
  private static TestSigner acme;

  @TempDir private Path home;
  private Path folder;
  private Path keys;

  @BeforeAll
  static void makeKey() {
    acme = TestSigner.of(authors, "Acme");
  }

  @BeforeEach
  void makeFolders() throws IOException {
    folder = Configs.plugins(home);
    keys = Files.createDirectory(home.resolve("keys"));
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void trust(TestSigner signer) throws IOException {
    Path copy = Files.copy(signer.certificate(), keys.resolve(signer.certificate().getFileName()));
    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
  }

  private Path jar(String name) {
    return PluginJarBuilder.plugin("acme")
        .policy("mine")
        .entry("acme/data.txt", "data\n")
        .writeTo(folder, name);
  }

  private LoadedConfig config() {
    return Configs.of(
        home, "ebb.plugins { require-signature = true, keys-folder = \"%s\" }".formatted(keys));
  }

  private PluginReport report() {
    try (PluginHost host = new PluginHost(config().orThrow())) {
      host.open();
      return host.catalog().reports().getFirst();
    }
  }

  private void assertRefused(String... parts) {
    PluginReport report = report();
    assertThat(report.state()).isEqualTo(PluginState.REFUSED);
    assertThat(report.reason()).contains(parts);
  }

  @Test
  void anUnreadableKeysFolderIsReportedWithoutClassNames() throws IOException {
    PluginsConfig plugins = config().orThrow().plugins();
    Files.delete(keys);
    assertThatThrownBy(() -> TrustedSigners.of(plugins))
        .hasMessageContainingAll("ebb.plugins.keys-folder", keys.toString(), "does not exist")
        .hasMessageNotContaining("Exception");
    Files.writeString(keys, "a file");
    assertThatThrownBy(() -> TrustedSigners.of(plugins))
        .hasMessageContainingAll("ebb.plugins.keys-folder", keys.toString(), "not a folder")
        .hasMessageNotContaining("Exception");
  }

  @Test
  void aJarOfATrustedKeyIsLoaded() throws IOException {
    trust(acme);
    acme.sign(jar("acme.jar"));

    PluginReport report = report();
    assertThat(report.reason()).isEmpty();
    assertThat(report.state()).isEqualTo(PluginState.LOADED);
  }

  /** Java refuses classes of one package that have different signers. */
  @Test
  void aClassWhoseCallsAreReplacedKeepsItsSigner() throws IOException {
    trust(acme);
    Path jar =
        PluginJarBuilder.plugin("acme")
            .provider(
                "acme.Ends",
                """
                package acme;

                import dev.ebb.spi.*;

                public final class Ends implements BlockPolicyProvider {
                  public String name() { return new Name().text(); }

                  public BlockPolicy<?> create(PolicyContext context) {
                    System.exit(1);
                    return null;
                  }

                  static final class Name { String text() { return "ends"; } }
                }
                """)
            .writeTo(folder, "acme.jar");
    acme.sign(jar);

    PluginReport report = report();
    assertThat(report.reason()).isEmpty();
    assertThat(report.state()).isEqualTo(PluginState.LOADED);
  }

  @Test
  void anUnsignedJarIsRefused() throws IOException {
    trust(acme);
    jar("acme.jar");

    assertRefused("is not signed", "ebb.plugins.require-signature", "jarsigner");
  }

  @Test
  void aJarOfAnUnknownKeyIsRefusedWithItsFingerprint() throws IOException {
    trust(acme);
    TestSigner other = TestSigner.of(home, "Mallory");
    other.sign(jar("acme.jar"));

    assertRefused("'CN=Mallory'", other.fingerprint(), "'" + keys + "'", "put the certificate");
  }

  @Test
  void twoSignersOfWhomOneIsTrustedSuffice() throws IOException {
    trust(acme);
    Path jar = jar("acme.jar");
    TestSigner.of(home, "Mallory").sign(jar);
    acme.sign(jar);

    assertThat(report().state()).isEqualTo(PluginState.LOADED);
  }

  @Test
  void anAlteredEntryIsRefused() throws IOException {
    trust(acme);
    Path jar = jar("acme.jar");
    acme.sign(jar);
    change(jar, "acme/data.txt", "other\n");

    assertRefused("'acme/data.txt'", "does not match the signature");
  }

  @Test
  void anAddedEntryIsRefused() throws IOException {
    trust(acme);
    for (String name :
        List.of(
            "acme/More.class",
            "META-INF/services/x",
            "META-INF/versions/25/acme/A.class",
            "META-INF/more.txt")) {
      Path jar = jar("acme.jar");
      acme.sign(jar);
      change(jar, name, "more\n");

      assertRefused("'" + name + "'", "is not signed");
    }
  }

  @Test
  void aRemovedEntryIsRefused() throws IOException {
    trust(acme);
    for (boolean fromManifestToo : new boolean[] {false, true}) {
      Path jar = jar("acme.jar");
      change(jar, "reference.conf", "acme {}\n");
      acme.sign(jar);
      if (fromManifestToo) {
        String manifest = read(jar, "META-INF/MANIFEST.MF");
        change(
            jar,
            "META-INF/MANIFEST.MF",
            manifest.replaceAll("Name: reference.conf\\R[^\\r\\n]+\\R( [^\\r\\n]*\\R)*\\R", ""));
      }
      try (FileSystem zip = FileSystems.newFileSystem(jar)) {
        Files.delete(zip.getPath("reference.conf"));
      }

      assertRefused("reference.conf", fromManifestToo ? "no manifest section" : "is missing");
    }
  }

  @Test
  void aSecondEntryOfTheSameNameIsRefused() throws IOException {
    trust(acme);
    for (String entry : List.of("acme/data.txt", "META-INF/MANIFEST.MF")) {
      Path jar = jar("acme.jar");
      acme.sign(jar);
      // No tool writes an entry twice.
      String like = entry.substring(0, entry.length() - 1) + "_";
      change(jar, like, "evil");
      String bytes = Files.readString(jar, StandardCharsets.ISO_8859_1);
      Files.writeString(jar, bytes.replace(like, entry), StandardCharsets.ISO_8859_1);

      assertRefused("two entries '%s'".formatted(entry), "sign it again");
    }
  }

  @Test
  void aChangedManifestIsRefused() throws IOException {
    trust(acme);
    Path jar = jar("acme.jar");
    acme.sign(jar);
    String manifest = read(jar, "META-INF/MANIFEST.MF");
    change(jar, "META-INF/MANIFEST.MF", manifest.replace("Plugin-Id: acme", "Plugin-Id: evil"));

    assertRefused("does not match the signature");
  }

  @Test
  void aSignatureOfAnotherJarIsRefused() throws IOException {
    trust(acme);
    Path jar = jar("acme.jar");
    acme.sign(jar);
    String manifest = read(jar, "META-INF/MANIFEST.MF");
    change(
        jar,
        "META-INF/MANIFEST.MF",
        manifest.replaceFirst("SHA-(256|384|512)-Digest: ....", "SHA-$1-Digest: AAAA"));

    assertRefused("does not match the signature");
  }

  @Test
  void anExpiredCertificateIsRefused() throws IOException {
    trust(acme);
    Path jar = jar("acme.jar");
    acme.sign(jar);
    PluginsConfig plugins = config().orThrow().plugins();

    assertThatCode(() -> TrustedSigners.of(plugins).check(jar)).doesNotThrowAnyException();
    assertThatThrownBy(() ->
            TrustedSigners.of(plugins, InstantSource.fixed(acme.notAfter().plusSeconds(1)))
                .check(jar))
        .isInstanceOf(PluginRefusal.class)
        .hasMessageContaining("'CN=Acme'")
        .hasMessageContaining("expired on " + acme.notAfter())
        .hasMessageContaining("no timestamp")
        .hasMessageContaining("-tsa");
  }

  @Test
  void aTrustedTimestampOutlivesTheCertificate() throws IOException {
    trust(acme);
    Path jar = jar("acme.jar");
    try (TestTimestamps timestamps = timestamps()) {
      acme.sign(jar, timestamps.uri());
      assertThatThrownBy(() -> afterTheEnd().check(jar))
          .isInstanceOf(PluginRefusal.class)
          .hasMessageContaining("expired on " + acme.notAfter())
          .hasMessageContaining("'CN=Times'")
          .hasMessageContaining(timestamps.signer().fingerprint())
          .hasMessageContaining("not trusted");

      trust(timestamps.signer());
      assertThatCode(() -> afterTheEnd().check(jar)).doesNotThrowAnyException();
    }
  }

  /** The keys folder, one second after the certificate has expired. */
  private TrustedSigners afterTheEnd() {
    return TrustedSigners.of(
        config().orThrow().plugins(), InstantSource.fixed(acme.notAfter().plusSeconds(1)));
  }

  private TestTimestamps timestamps() {
    try {
      return new TestTimestamps(home, "Times");
    } catch (IOException missing) {
      return abort("no openssl for timestamps: " + missing);
    }
  }

  @Test
  void aCertificateOfTheFutureIsRefused() throws IOException {
    trust(acme);
    Path jar = jar("acme.jar");
    acme.sign(jar);
    PluginsConfig plugins = config().orThrow().plugins();

    assertThatThrownBy(() ->
            TrustedSigners.of(plugins, InstantSource.fixed(Instant.parse("2020-01-01T00:00:00Z")))
                .check(jar))
        .isInstanceOf(PluginRefusal.class)
        .hasMessageContaining("valid only from");
  }

  @Test
  void aKeyThatATrustedAuthorityIssuedIsTrusted() throws IOException {
    TestSigner authority = TestSigner.authority(home, "Authority");
    TestSigner issued = authority.issue("Issued", "codeSigning");
    TestSigner web = authority.issue("Web", "serverAuth");
    trust(authority);

    issued.sign(jar("acme.jar"));
    assertThat(report().state()).isEqualTo(PluginState.LOADED);
    web.sign(jar("acme.jar"));
    assertRefused("'CN=Web'", "other uses");
    TestSigner.authority(home, "Stranger").issue("Foreign", "codeSigning").sign(jar("acme.jar"));
    assertRefused("'CN=Foreign'", "is not trusted");
  }

  /** The name of an issuer proves nothing. */
  @Test
  void anAuthorityOfTheSameNameIsNotTrusted() throws IOException {
    trust(TestSigner.authority(home, "Authority"));
    Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
    TestSigner.authority(elsewhere, "Authority").issue("Fake", "codeSigning").sign(jar("acme.jar"));

    assertRefused("'CN=Fake'", "is not trusted");
  }

  @Test
  void aReplacementMustBeSignedToo() throws IOException {
    trust(acme);
    Path jar = jar("acme.jar");
    acme.sign(jar);
    try (PluginHost host = new PluginHost(config().orThrow())) {
      host.open();
      PluginJarBuilder.plugin("acme").version("2.0.0").policy("mine").writeTo(folder, "acme.jar");
      PluginUpdate rescan = host.scan(Set.of());
      host.accept(rescan);

      PluginReport report = host.catalog().reports().getFirst();
      assertThat(host.catalog().names(StrategyKind.POLICY)).containsExactly("mine");
      assertThat(host.catalog().reports())
          .anyMatch(each -> each.reason().contains("is not signed"));
      assertThat(report.file()).isEqualTo(jar);

      PluginJarBuilder.plugin("acme").version("3.0.0").policy("mine").writeTo(folder, "acme.jar");
      acme.sign(jar);
      host.accept(host.scan(Set.of()));
      assertThat(host.catalog().reports())
          .singleElement()
          .satisfies(each -> assertThat(each.version()).isEqualTo("3.0.0"));
    }
  }

  @Test
  void wrongKeysFoldersAreRefused() throws IOException {
    jar("acme.jar");
    assertThatThrownBy(this::report)
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'" + keys + "'")
        .hasMessageContaining("has no certificates");
    Files.writeString(keys.resolve("notes.txt"), "no certificate");
    Files.setPosixFilePermissions(
        keys.resolve("notes.txt"), PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(this::report).hasMessageContaining("'" + keys.resolve("notes.txt") + "'");
    Files.delete(keys.resolve("notes.txt"));
    trust(acme);
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatThrownBy(this::report).hasMessageContaining("other users can write '" + keys + "'");
    assertThat(Configs.of(home, "ebb.plugins.require-signature = true").problems())
        .singleElement()
        .asString()
        .contains("ebb.plugins.require-signature", "'true'", "ebb.plugins.keys-folder");
  }

  @Test
  void aJarIsDescribedByItsSigner() throws IOException {
    Path jar = jar("acme.jar");
    PluginsConfig plugins = Configs.defaults(home).orThrow().plugins();
    assertThat(TrustedSigners.of(plugins).describe(jar)).isNull();
    acme.sign(jar);
    assertThat(TrustedSigners.of(plugins).describe(jar))
        .contains("signed by 'CN=Acme'", acme.fingerprint(), "is not trusted");
    trust(acme);
    assertThat(TrustedSigners.of(config().orThrow().plugins()).describe(jar))
        .contains("signed by 'CN=Acme'", "which is trusted");
  }

  private static String read(Path jar, String entry) throws IOException {
    try (FileSystem zip = FileSystems.newFileSystem(jar)) {
      return Files.readString(zip.getPath(entry));
    }
  }

  private static void change(Path jar, String entry, String text) throws IOException {
    Path copy =
        Files.copy(jar, jar.resolveSibling("copy.tmp"), StandardCopyOption.REPLACE_EXISTING);
    try (FileSystem zip = FileSystems.newFileSystem(copy)) {
      Path inside = zip.getPath(entry);
      if (inside.getParent() != null) {
        Files.createDirectories(inside.getParent());
      }
      Files.writeString(
          inside, text, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
    }
    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
    Files.move(copy, jar, StandardCopyOption.REPLACE_EXISTING);
  }
}
