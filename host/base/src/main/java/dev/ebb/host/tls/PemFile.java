package dev.ebb.host.tls;

import dev.ebb.host.errors.UserError;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and keys. Every error names the file. */
final class PemFile {

  private static final int LARGEST = 1 << 20;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);
  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String KEY = "PRIVATE KEY";

  private PemFile() {}

  private record Block(String type, String base64) {}

  /** Returns the certificates of a file, at least one. */
  static List<X509Certificate> certificates(Path file) {
    List<X509Certificate> certificates = new ArrayList<>();
    for (Block block : blocks(file)) {
      if (block.type().equals(CERTIFICATE)) {
        certificates.add(certificate(file, block));
      }
    }
    if (certificates.isEmpty()) {
      throw new UserError(
          "'%s' has no certificate in PEM format; it must have a line '-----BEGIN CERTIFICATE-----'"
              .formatted(file));
    }
    return certificates;
  }

  /** Returns the private key of a file, which must fit the public key. */
  static PrivateKey key(Path file, PublicKey partner) {
    List<String> others = new ArrayList<>();
    for (Block block : blocks(file)) {
      if (block.type().equals(KEY)) {
        return key(file, bytes(file, block), partner);
      }
      if (block.type().endsWith(KEY)) {
        others.add(block.type());
      }
    }
    if (!others.isEmpty()) {
      throw new UserError(
          "'%s' has a key of the type '%s', and needs '%s' (PKCS #8, not encrypted); convert it with 'openssl pkcs8 -topk8 -nocrypt -in %s'"
              .formatted(file, others.getFirst(), KEY, file));
    }
    throw new UserError(
        "'%s' has no private key in PEM format; it must have a line '-----BEGIN PRIVATE KEY-----'"
            .formatted(file));
  }

  private static X509Certificate certificate(Path file, Block block) {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(bytes(file, block)));
    } catch (CertificateException damaged) {
      throw new UserError(
          "'%s' has a damaged certificate: %s; copy the file again"
              .formatted(file, damaged.getMessage()));
    }
  }

  private static PrivateKey key(Path file, byte[] pkcs8, PublicKey partner) {
    try {
      return KeyFactory.getInstance(partner.getAlgorithm())
          .generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (InvalidKeySpecException wrong) {
      throw new UserError(
          "'%s' has a key that is damaged, or not of the certificate's algorithm '%s'"
              .formatted(file, partner.getAlgorithm()));
    } catch (GeneralSecurityException unknown) {
      throw new UserError(
          "the algorithm '%s' of the certificate for '%s' is not supported; use RSA, EC or Ed25519"
              .formatted(partner.getAlgorithm(), file));
    }
  }

  private static byte[] bytes(Path file, Block block) {
    try {
      return Base64.getMimeDecoder().decode(block.base64());
    } catch (IllegalArgumentException damaged) {
      throw new UserError("'%s' is damaged; copy the file again".formatted(file));
    }
  }

  private static List<Block> blocks(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw new UserError(
            "'%s' has '%d' bytes, and is no PEM file of at most %d"
                .formatted(file, Files.size(file), LARGEST));
      }
      List<Block> blocks = new ArrayList<>();
      Matcher matcher = BLOCK.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
      while (matcher.find()) {
        blocks.add(new Block(matcher.group(1), matcher.group(2)));
      }
      return blocks;
    } catch (NoSuchFileException missing) {
      throw new UserError("'%s' does not exist; create it, or correct the path".formatted(file));
    } catch (IOException unreadable) {
      throw new UserError(
          "'%s' cannot be read (%s); check its permissions, and that it is a file"
              .formatted(file, unreadable.getClass().getSimpleName()));
    }
  }
}
