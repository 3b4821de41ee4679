package dev.ebb.host.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A self-signed certificate for localhost and 127.0.0.1, made with {@code keytool}, as PEM files.
 *
 * @param certificate its file
 * @param key the file of its private key
 */
public record TestCertificate(Path certificate, Path key) {

  static final String PASSWORD = "changeit";

  /**
   * Makes a certificate.
   *
   * @param folder where the files {@code NAME.crt} and {@code NAME.key} are written, which are
   *     replaced
   * @param name its common name
   */
  public static TestCertificate of(Path folder, String name) {
    return of(folder, name, "EC");
  }

  /**
   * Makes a certificate with a key of an algorithm.
   *
   * @param folder as above
   * @param name as above
   * @param algorithm for example {@code RSA}
   */
  public static TestCertificate of(Path folder, String name, String algorithm) {
    try {
      Path store = Files.createTempDirectory(folder, "store").resolve("store.jks");
      generate(store, algorithm, "own", name, List.of("-ext", "SAN=dns:localhost,ip:127.0.0.1"));
      KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
      byte[] key = keys.getKey("own", PASSWORD.toCharArray()).getEncoded();
      return new TestCertificate(
          write(
              folder.resolve(name + ".crt"),
              "CERTIFICATE",
              keys.getCertificate("own").getEncoded()),
          write(folder.resolve(name + ".key"), "PRIVATE KEY", key));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  static Path write(Path file, String type, byte[] der) throws IOException {
    String base64 =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(
        part, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, base64, type));
    return Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Makes a key with a certificate of two days, in a store that may exist.
   *
   * @param options further ones of {@code keytool -genkeypair}
   */
  static void generate(
      Path store, String algorithm, String alias, String name, List<String> options)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-genkeypair",
                "-keyalg",
                algorithm,
                "-alias",
                alias,
                "-dname",
                "CN=" + name,
                "-validity",
                "2",
                "-storetype",
                // Which needs no long derivation of keys from the password, as PKCS12 does.
                "JKS",
                "-keystore",
                store.toString(),
                "-keypass",
                PASSWORD,
                "-storepass",
                PASSWORD));
    arguments.addAll(options);
    keytool(arguments);
  }

  static void keytool(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(arguments);
    command.addFirst(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException("keytool failed: " + output);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException(interrupted);
    }
  }
}
