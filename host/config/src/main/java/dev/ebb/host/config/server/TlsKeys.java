package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the TLS files of a server, or of a node.
 *
 * @param mutual whether the files of authorities are needed too
 */
record TlsKeys(
    ConfigKey<Optional<Path>> certificate,
    ConfigKey<Optional<Path>> key,
    ConfigKey<Optional<Path>> authorities,
    boolean mutual) {

  private static final String KEY = "PEM file with its private key (PKCS #8, not encrypted).";

  /** Adds the keys to a section. */
  static TlsKeys of(SectionKeys keys, String section, String protocol) {
    String path = section + ".tls.";
    return new TlsKeys(
        file(keys, path + "certificate")
            .fixed(
                "PEM file with the certificate of the %s server and those of its issuers, for [TLS](serve.md#tls); empty: no TLS."
                    .formatted(protocol)),
        file(keys, path + "key").fixed(KEY),
        file(keys, path + "client-ca")
            .fixed(
                "PEM file with authorities: clients must have a certificate of one; empty: clients"
                    + " need none."),
        false);
  }

  /** Adds the keys of nodes, which are both clients and servers of each other, to a section. */
  static TlsKeys ofNodes(SectionKeys keys, String section) {
    String path = section + ".tls.";
    return new TlsKeys(
        file(keys, path + "certificate")
            .fixed(
                "PEM file with the [certificate](cluster.md#certificates) of this node and those of"
                    + " its issuers; empty: a key made from `secret`."),
        file(keys, path + "key").fixed(KEY),
        file(keys, path + "trust")
            .fixed("PEM file with authorities: each node must have a certificate of one."),
        true);
  }

  private static SectionKeys.Row<Optional<Path>> file(SectionKeys keys, String path) {
    return keys.key(path, "\"\"", ValueType.OPTIONAL_PATH);
  }

  @Nullable TlsFiles read(ConfigReader reader) {
    Path certificateFile = reader.optionalPath(certificate);
    Path keyFile = reader.optionalPath(key);
    Path authoritiesFile = reader.optionalPath(authorities);
    if (certificateFile != null && keyFile != null && (authoritiesFile != null || !mutual)) {
      return new TlsFiles(certificateFile, keyFile, authoritiesFile);
    }
    if (certificateFile != null || keyFile != null || authoritiesFile != null) {
      ConfigKey<?> given =
          certificateFile != null ? certificate : keyFile != null ? key : authorities;
      ConfigKey<?> missing =
          certificateFile == null ? certificate : keyFile == null ? key : authorities;
      reader.problem(
          reader.setting(given).problem("needs " + missing + "; set it too, or remove this key"));
    }
    return null;
  }
}
