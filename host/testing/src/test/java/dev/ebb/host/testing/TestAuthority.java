package dev.ebb.host.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;

/**
 * An authority that issues certificates for both clients and servers, made with {@code keytool}.
 */
public final class TestAuthority {

  private static final String ALIAS = "authority";

  private final Path folder;
  private final Path store;
  private final Path certificate;

  /**
   * Makes an authority.
   *
   * @param folder where its certificate {@code NAME.crt} and those that it issues are written
   * @param name its common name
   */
  public TestAuthority(Path folder, String name) {
    this.folder = folder;
    try {
      store = Files.createTempDirectory(folder, "store").resolve("store.p12");
      TestCertificate.generate(store, "EC", ALIAS, name, List.of("-ext", "bc:critical=ca:true"));
      byte[] encoded = keys().getCertificate(ALIAS).getEncoded();
      certificate = TestCertificate.write(folder.resolve(name + ".crt"), "CERTIFICATE", encoded);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Returns the file of its certificate. */
  public Path certificate() {
    return certificate;
  }

  /** Issues a certificate with a new key. */
  public TestCertificate issue(String name) {
    try {
      TestCertificate.generate(
          store, "EC", name, name, List.of("-signer", ALIAS, "-ext", "eku=serverAuth,clientAuth"));
      KeyStore keys = keys();
      byte[] key = keys.getKey(name, TestCertificate.PASSWORD.toCharArray()).getEncoded();
      return new TestCertificate(
          TestCertificate.write(
              folder.resolve(name + ".crt"), "CERTIFICATE", keys.getCertificate(name).getEncoded()),
          TestCertificate.write(folder.resolve(name + ".key"), "PRIVATE KEY", key));
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
