package dev.ebb.host.cluster.directory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * TLS between nodes that share a secret. All nodes derive the same key pair and certificate from
 * it, and accept only that certificate, of clients too. So nobody without the secret can connect,
 * read or change anything, and no certificates have to be distributed.
 */
final class SharedSecretTls {

  private static final int ITERATIONS = 100_000;
  private static final byte[] ED25519 = {0x06, 0x03, 0x2B, 0x65, 0x70};
  private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};

  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int UTF8_STRING = 0x0C;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int UTC_TIME = 0x17;
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int VERSION = 0xA0;

  /**
   * The keys that a secret and the name of a cluster make: both protocols of a node need them, and
   * making them takes long.
   */
  private static final Map<List<String>, KeyPair> KEYS = new ConcurrentHashMap<>();

  private SharedSecretTls() {}

  /** Returns a context for a cluster; with one secret, clusters refuse each other's nodes. */
  static SSLContext context(String secret, String cluster) {
    try {
      KeyPair keys = KEYS.computeIfAbsent(List.of(secret, cluster), key -> keys(secret, cluster));
      X509Certificate certificate = certificate(keys);
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("ebb", keys.getPrivate(), new char[0], new X509Certificate[] {certificate});
      KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
      managers.init(store, new char[0]);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(managers.getKeyManagers(), new TrustManager[] {new OnlyThis(certificate)}, null);
      return context;
    } catch (GeneralSecurityException | IOException impossible) {
      throw new IllegalStateException("every JDK has Ed25519 and TLS 1.3", impossible);
    }
  }

  private static KeyPair keys(String secret, String cluster) {
    byte[] salt = ("ebb cluster " + cluster).getBytes(StandardCharsets.UTF_8);
    PBEKeySpec spec = new PBEKeySpec(secret.toCharArray(), salt, ITERATIONS, 256);
    try {
      byte[] seed =
          SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
      KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
      generator.initialize(255, new Seed(seed));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every JDK has PBKDF2 and Ed25519", impossible);
    }
  }

  /** A private key of Ed25519 is 32 random bytes: these. */
  private static final class Seed extends SecureRandom {

    private static final long serialVersionUID = 1L;

    private final byte[] seed;

    Seed(byte[] seed) {
      this.seed = seed;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      if (bytes.length != seed.length) {
        throw new IllegalStateException("a key has '%d' bytes".formatted(bytes.length));
      }
      System.arraycopy(seed, 0, bytes, 0, bytes.length);
    }
  }

  /** Signs itself; Ed25519 makes the same signature on all nodes. See RFC 5280 and RFC 8410. */
  private static X509Certificate certificate(KeyPair keys) throws GeneralSecurityException {
    byte[] algorithm = der(SEQUENCE, ED25519);
    byte[] value = der(UTF8_STRING, "ebb".getBytes(StandardCharsets.US_ASCII));
    byte[] name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, value)));
    byte[] validity =
        der(
            SEQUENCE,
            der(UTC_TIME, "200101000000Z".getBytes(StandardCharsets.US_ASCII)),
            der(GENERALIZED_TIME, "99991231235959Z".getBytes(StandardCharsets.US_ASCII)));
    byte[] content =
        der(
            SEQUENCE,
            der(VERSION, der(INTEGER, new byte[] {2})),
            der(INTEGER, new byte[] {1}),
            algorithm,
            name,
            validity,
            name,
            keys.getPublic().getEncoded());
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(keys.getPrivate());
    signature.update(content);
    byte[] signed =
        der(SEQUENCE, content, algorithm, der(BIT_STRING, new byte[1], signature.sign()));
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(signed));
  }

  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    int length = content.size();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length >= 0x100) {
      out.write(0x82);
      out.write(length >> 8);
    } else if (length >= 0x80) {
      out.write(0x81);
    }
    out.write(length);
    out.writeBytes(content.toByteArray());
    return out.toByteArray();
  }

  /** Trusts one certificate. The handshake proves that the peer has its private key. */
  private record OnlyThis(X509Certificate certificate) implements X509TrustManager {

    private void check(X509Certificate[] chain) throws CertificateException {
      if (chain.length != 1 || !Arrays.equals(chain[0].getEncoded(), certificate.getEncoded())) {
        throw new CertificateException("the other node has another ebb.cluster.secret");
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      check(chain);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
