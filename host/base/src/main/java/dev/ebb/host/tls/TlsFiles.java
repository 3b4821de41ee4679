package dev.ebb.host.tls;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of one side of TLS connections.
 *
 * @param certificate the own certificate, followed by those of its issuers; null for none
 * @param key its private key; null for none
 * @param authorities the certificates of those who may issue the other side's; null for none
 */
public record TlsFiles(@Nullable Path certificate, @Nullable Path key, @Nullable Path authorities) {

  private static final char[] NO_PASSWORD = {};

  public TlsFiles {
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException("a certificate and its key need each other");
    }
  }

  record Loaded(
      List<X509Certificate> chain,
      @Nullable X509ExtendedKeyManager key,
      @Nullable X509ExtendedTrustManager trust) {}

  List<Path> all() {
    return Stream.of(certificate, key, authorities).filter(each -> each != null).toList();
  }

  /** Reads the files; fails with the file and what is wrong. */
  Loaded load() {
    try {
      List<X509Certificate> chain =
          certificate == null ? List.of() : PemFile.certificates(certificate);
      return new Loaded(
          chain,
          chain.isEmpty() ? null : keyManager(chain),
          authorities == null ? null : trustManager(PemFile.certificates(authorities)));
    } catch (GeneralSecurityException | IOException failed) {
      throw new UserError("TLS with %s is not possible: %s".formatted(all(), failed.getMessage()));
    }
  }

  /** Fails if a file cannot be used; the section is for messages. */
  public void check(String section) {
    try {
      load();
    } catch (UserError wrong) {
      throw wrong.at(section);
    }
  }

  /**
   * Returns a context for connections to servers; it trusts the authorities, or those of the JDK.
   */
  public SSLContext client() {
    Loaded loaded = load();
    return context(loaded.key(), loaded.trust());
  }

  /** Returns a context for connections to the one server with a certificate, under any name. */
  public SSLContext clientOf(Path server) {
    return context(load().key(), new PinnedCertificate(PemFile.certificates(server).getFirst()));
  }

  static SSLContext context(
      @Nullable X509ExtendedKeyManager key, @Nullable X509ExtendedTrustManager trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          key == null ? null : new KeyManager[] {key},
          trust == null ? null : new TrustManager[] {trust},
          null);
      return context;
    } catch (GeneralSecurityException missing) {
      throw new UserError("this JDK has no TLS: " + missing.getMessage());
    }
  }

  private X509ExtendedKeyManager keyManager(List<X509Certificate> chain)
      throws GeneralSecurityException, IOException {
    Path file = requireNonNull(key);
    PublicKey partner = chain.getFirst().getPublicKey();
    PrivateKey loaded = PemFile.key(file, partner);
    if (!belongTogether(loaded, partner)) {
      throw new UserError(
          "the key '%s' does not belong to the certificate '%s'; use the key that the certificate was issued for"
              .formatted(file, certificate));
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("own", loaded, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    return first(factory.getKeyManagers(), X509ExtendedKeyManager.class);
  }

  private static X509ExtendedTrustManager trustManager(List<X509Certificate> trusted)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    for (int i = 0; i < trusted.size(); i++) {
      store.setCertificateEntry("trusted" + i, trusted.get(i));
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return first(factory.getTrustManagers(), X509ExtendedTrustManager.class);
  }

  private static <T> T first(Object[] managers, Class<T> type) {
    return type.cast(Arrays.stream(managers).filter(type::isInstance).findFirst().orElseThrow());
  }

  private static boolean belongTogether(PrivateKey key, PublicKey partner)
      throws GeneralSecurityException {
    String algorithm =
        switch (partner.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> partner.getAlgorithm();
        };
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    byte[] signed = signature.sign();
    signature.initVerify(partner);
    return signature.verify(signed);
  }
}
