package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
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

  /** Returns the keys of a section; that of authorities is named {@code authorities}. */
  static TlsKeys of(String section, String authorities, boolean mutual) {
    String path = section + ".tls.";
    return new TlsKeys(
        ConfigKey.fixed(path + "certificate", ValueType.OPTIONAL_PATH),
        ConfigKey.fixed(path + "key", ValueType.OPTIONAL_PATH),
        ConfigKey.fixed(path + authorities, ValueType.OPTIONAL_PATH),
        mutual);
  }

  ConfigKey<?>[] all() {
    return new ConfigKey<?>[] {certificate, key, authorities};
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
