package dev.ebb.host.plugin.jar;

import dev.ebb.host.config.PluginsConfig;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.FileTrust;
import dev.ebb.host.files.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.security.CodeSigner;
import java.security.GeneralSecurityException;
import java.security.Timestamp;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidator;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whose signatures of JARs are trusted: those with a certificate of {@code
 * ebb.plugins.keys-folder}, and those with one that an authority there has issued.
 */
public final class TrustedSigners {

  private static final String CODE_SIGNING = "1.3.6.1.5.5.7.3.3";
  private static final String TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
  private static final String ANY_USE = "2.5.29.37.0";

  private final @Nullable Path folder;
  private final List<X509Certificate> certificates;
  private final InstantSource clock;

  private TrustedSigners(
      @Nullable Path folder, List<X509Certificate> certificates, InstantSource clock) {
    this.folder = folder;
    this.certificates = certificates;
    this.clock = clock;
  }

  /**
   * Reads the certificates of the keys folder; there are none if there is no folder.
   *
   * @throws UserError if it cannot be read, other users can write it, or a file in it is not a
   *     certificate
   */
  public static TrustedSigners of(PluginsConfig config) {
    return of(config, InstantSource.system());
  }

  public static TrustedSigners of(PluginsConfig config, InstantSource clock) {
    Path folder = config.keysFolder();
    return new TrustedSigners(folder, folder == null ? List.of() : read(folder, config), clock);
  }

  private static List<X509Certificate> read(Path folder, PluginsConfig config) {
    List<X509Certificate> certificates = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      requireTrust(folder, config);
      for (Path file : files) {
        if (!Files.isHidden(file)) {
          requireTrust(file, config);
          certificates.addAll(certificates(file));
        }
      }
    } catch (IOException failed) {
      throw new UserError(
          "cannot read ebb.plugins.keys-folder = '%s': %s; name a folder of certificates"
              .formatted(folder, reason(failed)));
    }
    if (certificates.isEmpty() && config.requireSignature()) {
      throw new UserError(
          "ebb.plugins.keys-folder = '%s' has no certificates, so that no plugin can be loaded; put those of trusted authors there"
              .formatted(folder));
    }
    return certificates;
  }

  private static String reason(IOException failed) {
    return switch (failed) {
      case NoSuchFileException _ -> "it does not exist";
      case NotDirectoryException _ -> "it is not a folder";
      case AccessDeniedException denied -> "permission denied for '%s'".formatted(denied.getFile());
      case FileSystemException file -> "'%s' cannot be read".formatted(file.getFile());
      default -> UntrustedText.message(failed);
    };
  }

  private static void requireTrust(Path file, PluginsConfig config) {
    if (!config.allowWritableFolder()) {
      FileTrust.foreignOwner(file)
          .or(() -> FileTrust.writable(file))
          .or(() -> FileTrust.problemAbove(file))
          .ifPresent(problem -> {
            throw new UserError(
                "cannot trust ebb.plugins.keys-folder: %s; use a folder that only you or root can write"
                    .formatted(problem));
          });
    }
  }

  private static List<X509Certificate> certificates(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      List<X509Certificate> certificates = new ArrayList<>();
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        certificates.add((X509Certificate) each);
      }
      if (!certificates.isEmpty()) {
        return certificates;
      }
    } catch (CertificateException wrong) {
      // Reported below.
    }
    throw new UserError(
        "'%s' must be an X.509 certificate in PEM or DER; remove the file from ebb.plugins.keys-folder, or export the certificate with 'keytool -exportcert -rfc'"
            .formatted(file));
  }

  /**
   * Returns who signed a JAR, and whether that is trusted.
   *
   * @return a clause; null if no entry is signed, or not all of them
   */
  public @Nullable String describe(Path jar) {
    try {
      return JarSignature.signers(jar).stream()
          .map(signer -> {
            String problem = problem(signer);
            return "signed by "
                + shown(leaf(signer))
                + ", which "
                + (problem == null ? "is trusted" : problem);
          })
          .collect(Collectors.joining("; "));
    } catch (PluginRefusal unsigned) {
      return null;
    }
  }

  /** Refuses a JAR unless one trusted key has signed all of it. */
  public void check(Path jar) {
    Set<String> problems = new LinkedHashSet<>();
    for (CodeSigner signer : JarSignature.signers(jar)) {
      String problem = problem(signer);
      if (problem == null) {
        return;
      }
      problems.add("it is signed by %s, which %s".formatted(shown(leaf(signer)), problem));
    }
    throw new PluginRefusal(String.join(". Also: ", problems));
  }

  /** Returns why a signer is not trusted; null if it is. */
  private @Nullable String problem(CodeSigner signer) {
    List<X509Certificate> chain = chain(signer.getSignerCertPath());
    Instant now = clock.instant();
    String reason = untrusted(chain, CODE_SIGNING, leafTime(chain.getFirst(), now));
    if (reason != null) {
      return "is not trusted by ebb.plugins.keys-folder = '%s' (%s); put the certificate there if you trust it"
          .formatted(folder == null ? "" : folder, reason);
    }
    X509Certificate leaf = chain.getFirst();
    if (now.isBefore(leaf.getNotBefore().toInstant())) {
      return "is valid only from %s; check the clock".formatted(leaf.getNotBefore().toInstant());
    }
    Instant end = leaf.getNotAfter().toInstant();
    return now.isAfter(end) ? expired(signer, end) : null;
  }

  /** Returns a time at which a certificate is valid, as close to now as possible. */
  private static Instant leafTime(X509Certificate leaf, Instant now) {
    Instant end = leaf.getNotAfter().toInstant();
    Instant start = leaf.getNotBefore().toInstant();
    return now.isAfter(end) ? end : now.isBefore(start) ? start : now;
  }

  /** Returns the problem of an expired certificate; null if a timestamp shows an earlier use. */
  private @Nullable String expired(CodeSigner signer, Instant end) {
    Timestamp timestamp = signer.getTimestamp();
    if (timestamp == null) {
      return "expired on %s, and the signature has no timestamp; sign the JAR again, with 'jarsigner -tsa'"
          .formatted(end);
    }
    Instant signed = timestamp.getTimestamp().toInstant();
    List<X509Certificate> chain = chain(timestamp.getSignerCertPath());
    String reason = untrusted(chain, TIME_STAMPING, signed);
    if (reason != null) {
      return "expired on %s, and its timestamp is by %s, which is not trusted by ebb.plugins.keys-folder (%s); put that certificate there if you trust it"
          .formatted(end, shown(chain.getFirst()), reason);
    }
    return signed.isAfter(end)
        ? "expired on %s, before the timestamp of the signature, %s; sign the JAR again"
            .formatted(end, signed)
        : null;
  }

  /**
   * Returns why no certificate of the folder vouches for a chain; null if one does.
   *
   * @param use what the first certificate must be for, unless it is itself in the folder
   */
  private @Nullable String untrusted(List<X509Certificate> chain, String use, Instant at) {
    int known = 0;
    while (known < chain.size() && !certificates.contains(chain.get(known))) {
      known++;
    }
    if (known == 0) {
      return null;
    }
    Set<TrustAnchor> authorities =
        certificates.stream()
            .filter(each -> each.getBasicConstraints() >= 0)
            .map(each -> new TrustAnchor(each, null))
            .collect(Collectors.toSet());
    if (authorities.isEmpty()) {
      return "its certificate is not there";
    }
    try {
      List<String> uses = chain.getFirst().getExtendedKeyUsage();
      if (uses != null && !uses.contains(use) && !uses.contains(ANY_USE)) {
        return "it is for other uses";
      }
      PKIXParameters parameters = new PKIXParameters(authorities);
      parameters.setRevocationEnabled(false);
      parameters.setDate(Date.from(at));
      CertPath path =
          CertificateFactory.getInstance("X.509").generateCertPath(chain.subList(0, known));
      CertPathValidator.getInstance("PKIX").validate(path, parameters);
      return null;
    } catch (GeneralSecurityException invalid) {
      return UntrustedText.line(String.valueOf(invalid.getMessage()));
    }
  }

  private static List<X509Certificate> chain(CertPath path) {
    return path.getCertificates().stream().map(X509Certificate.class::cast).toList();
  }

  private static X509Certificate leaf(CodeSigner signer) {
    return chain(signer.getSignerCertPath()).getFirst();
  }

  /** Returns the subject and the SHA-256 fingerprint of a certificate. */
  private static String shown(X509Certificate certificate) {
    try {
      byte[] digest = Sha256.digest().digest(certificate.getEncoded());
      return "'%s' (SHA-256 %s, valid until %s)"
          .formatted(
              UntrustedText.line(certificate.getSubjectX500Principal().getName()),
              HexFormat.of().formatHex(digest),
              certificate.getNotAfter().toInstant());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("a certificate cannot be encoded", impossible);
    }
  }
}
