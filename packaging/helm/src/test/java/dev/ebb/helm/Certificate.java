package dev.ebb.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A certificate for {@code localhost} that is its own authority.
 *
 * @param certificate a PEM file
 * @param key a PEM file with the private key, PKCS #8
 */
record Certificate(SSLContext context, Path certificate, Path key) {

  private static final char[] PASSWORD = "password".toCharArray();

  static Certificate in(Path folder)
      throws IOException, GeneralSecurityException, InterruptedException {
    Path store = folder.resolve("certificate.p12");
    List<String> command =
        List.of(
            System.getProperty("java.home") + "/bin/keytool",
            "-genkeypair",
            "-keyalg",
            "EC",
            "-dname",
            "CN=localhost",
            "-ext",
            "san=dns:localhost",
            "-alias",
            "own",
            "-keystore",
            store.toString(),
            "-storepass",
            new String(PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    return new Certificate(
        context,
        pem(folder.resolve("tls.crt"), "CERTIFICATE", keys.getCertificate("own").getEncoded()),
        pem(folder.resolve("tls.key"), "PRIVATE KEY", keys.getKey("own", PASSWORD).getEncoded()));
  }

  private static Path pem(Path file, String type, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return Files.writeString(
        file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type, text));
  }
}
