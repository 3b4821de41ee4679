package dev.ebb.host.config;

import dev.ebb.host.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The keys of a server's TLS files. */
record TlsKeys(
    ConfigKey<Optional<Path>> certificate,
    ConfigKey<Optional<Path>> key,
    ConfigKey<Optional<Path>> clientAuthorities) {

  /** Adds the keys to a section. */
  static TlsKeys of(SectionKeys keys, String section, String protocol) {
    String path = section + ".tls.";
    return new TlsKeys(
        file(keys, path + "certificate")
            .fixed(
                "PEM file with the certificate of the %s server and those of its issuers, for [TLS](serve.md#tls); empty: no TLS."
                    .formatted(protocol)),
        file(keys, path + "key").fixed("PEM file with its private key (PKCS #8, not encrypted)."),
        file(keys, path + "client-ca")
            .fixed(
                "PEM file with authorities: clients must have a certificate of one; empty: clients need none."));
  }

  private static SectionKeys.Row<Optional<Path>> file(SectionKeys keys, String path) {
    return keys.key(path, "\"\"", ValueType.OPTIONAL_PATH);
  }

  @Nullable TlsFiles read(ConfigReader reader) {
    Path certificateFile = reader.optionalPath(certificate);
    Path keyFile = reader.optionalPath(key);
    Path authorities = reader.optionalPath(clientAuthorities);
    if (certificateFile != null && keyFile != null) {
      return new TlsFiles(certificateFile, keyFile, authorities);
    }
    if (certificateFile != null || keyFile != null || authorities != null) {
      ConfigKey<?> given =
          certificateFile != null ? certificate : keyFile != null ? key : clientAuthorities;
      ConfigKey<?> missing = certificateFile == null ? certificate : key;
      reader.problem(
          reader.setting(given).problem("needs " + missing + "; set it too, or remove this key"));
    }
    return null;
  }
}
