package dev.ebb.host.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * An authority that issues certificates for both clients and servers, made with {@code keytool}.
 */
public final class TestAuthority {

  private final Path folder;
  private final TestSigner signer;

  /**
   * Makes an authority.
   *
   * @param folder where its certificate {@code NAME.crt} and those that it issues are written
   * @param name its common name
   */
  public TestAuthority(Path folder, String name) {
    this.folder = folder;
    signer = TestSigner.authority(folder, name);
  }

  /** Returns the file of its certificate. */
  public Path certificate() {
    return signer.certificate();
  }

  /** Issues a certificate with a new key. */
  public TestCertificate issue(String name) {
    TestSigner issued = signer.issue(name, "serverAuth,clientAuth");
    try {
      return new TestCertificate(
          issued.certificate(),
          TestCertificate.write(folder.resolve(name + ".key"), "PRIVATE KEY", issued.privateKey()));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
