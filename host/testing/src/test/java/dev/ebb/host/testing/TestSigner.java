package dev.ebb.host.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipFile;
import jdk.security.jarsigner.JarSigner;
import org.jspecify.annotations.Nullable;

/** A key with a certificate, made with {@code keytool}, that signs JARs. */
public final class TestSigner {

  private final Path folder;
  private final Path store;
  private final String name;

  private TestSigner(Path folder, Path store, String name) {
    this.folder = folder;
    this.store = store;
    this.name = name;
  }

  /**
   * Makes a key with a self-signed certificate.
   *
   * @param folder where the certificate {@code NAME.crt} is written
   */
  public static TestSigner of(Path folder, String name) {
    return generated(newStore(folder), folder, name, List.of());
  }

  /** Makes an authority. */
  public static TestSigner authority(Path folder, String name) {
    return generated(newStore(folder), folder, name, List.of("-ext", "bc:critical=ca:true"));
  }

  /** Makes a key whose certificate this authority issues for a use, such as codeSigning. */
  public TestSigner issue(String itsName, String use) {
    return generated(store, folder, itsName, List.of("-signer", name, "-ext", "eku=" + use));
  }

  /** Makes a key with a self-signed certificate for timestamps. */
  static TestSigner ofTimestamps(Path folder, String name) {
    return generated(newStore(folder), folder, name, List.of("-ext", "eku:critical=timeStamping"));
  }

  private static Path newStore(Path folder) {
    try {
      return Files.createTempDirectory(folder, "store").resolve("store.jks");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static TestSigner generated(Path store, Path folder, String name, List<String> options) {
    try {
      TestCertificate.generate(store, "EC", name, name, options);
      TestSigner signer = new TestSigner(folder, store, name);
      TestCertificate.write(signer.certificate(), "CERTIFICATE", signer.x509().getEncoded());
      return signer;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Returns the file of its certificate, in PEM. */
  public Path certificate() {
    return folder.resolve(name + ".crt");
  }

  /** Returns the SHA-256 of its certificate, in hexadecimal. */
  public String fingerprint() {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(x509().getEncoded()));
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Returns when its certificate expires. */
  public Instant notAfter() {
    return x509().getNotAfter().toInstant();
  }

  /** Signs a JAR in place. */
  public void sign(Path jar) {
    sign(jar, null);
  }

  /** Signs a JAR in place, with a timestamp of an authority; of none if that is null. */
  public void sign(Path jar, @Nullable URI timestamps) {
    try {
      KeyStore keys = keys();
      PrivateKey key = (PrivateKey) keys.getKey(name, TestCertificate.PASSWORD.toCharArray());
      JarSigner.Builder builder =
          new JarSigner.Builder(
                  key,
                  CertificateFactory.getInstance("X.509")
                      .generateCertPath(Arrays.asList(keys.getCertificateChain(name))))
              .signerName(name.toUpperCase(Locale.ROOT));
      JarSigner signer = (timestamps == null ? builder : builder.tsa(timestamps)).build();
      Path signed = jar.resolveSibling(jar.getFileName() + ".signed");
      try (ZipFile in = new ZipFile(jar.toFile());
          OutputStream out = Files.newOutputStream(signed)) {
        signer.sign(in, out);
      }
      Files.setPosixFilePermissions(signed, PosixFilePermissions.fromString("rw-r--r--"));
      Files.move(signed, jar, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Returns its private key, in PKCS #8. */
  byte[] privateKey() {
    try {
      return keys().getKey(name, TestCertificate.PASSWORD.toCharArray()).getEncoded();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private X509Certificate x509() {
    try {
      return (X509Certificate) keys().getCertificate(name);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private KeyStore keys() throws IOException, GeneralSecurityException {
    return KeyStore.getInstance(store.toFile(), TestCertificate.PASSWORD.toCharArray());
  }
}
