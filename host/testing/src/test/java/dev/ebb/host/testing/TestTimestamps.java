package dev.ebb.host.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** An authority for timestamps of signatures (RFC 3161), on a free port, made with OpenSSL. */
public final class TestTimestamps implements AutoCloseable {

  private static final String CONFIG =
      """
      [tsa]
      default_tsa = test
      [test]
      serial = FOLDER/serial
      default_policy = 1.2.3.4.1
      digests = sha256, sha384, sha512
      signer_digest = sha256
      ess_cert_id_alg = sha256
      accuracy = secs:1
      """;

  private final Path folder;
  private final TestSigner signer;
  private final Path key;
  private final HttpServer server;

  /**
   * Starts the authority.
   *
   * @param folder where its certificate {@code NAME.crt} is written
   * @throws IOException if there is no OpenSSL
   */
  public TestTimestamps(Path folder, String name) throws IOException {
    new ProcessBuilder("openssl", "version").start().destroy();
    this.folder = folder;
    signer = TestSigner.ofTimestamps(folder, name);
    key = TestCertificate.write(folder.resolve(name + ".key"), "PRIVATE KEY", signer.privateKey());
    Files.writeString(folder.resolve("tsa.cnf"), CONFIG.replace("FOLDER", folder.toString()));
    Files.writeString(folder.resolve("serial"), "01\n");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Returns its address. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }

  /** Returns its key and its certificate. */
  public TestSigner signer() {
    return signer;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Path query = Files.write(folder.resolve("query"), exchange.getRequestBody().readAllBytes());
      Path reply = folder.resolve("reply");
      Process openssl =
          new ProcessBuilder(
                  "openssl",
                  "ts",
                  "-reply",
                  "-config",
                  folder.resolve("tsa.cnf").toString(),
                  "-queryfile",
                  query.toString(),
                  "-signer",
                  signer.certificate().toString(),
                  "-inkey",
                  key.toString(),
                  "-out",
                  reply.toString())
              .redirectErrorStream(true)
              .start();
      String output = new String(openssl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (openssl.waitFor() != 0) {
        throw new IOException("openssl failed: " + output);
      }
      byte[] bytes = Files.readAllBytes(reply);
      exchange.getResponseHeaders().set("Content-Type", "application/timestamp-reply");
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException(interrupted);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
