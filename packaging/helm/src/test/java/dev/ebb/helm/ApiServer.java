package dev.ebb.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Answers for the metadata of machines as Kubernetes does, to those who have the token. */
final class ApiServer implements AutoCloseable {

  static final String TOKEN = "token-of-the-service-account";
  private static final String PASSWORD = "password";

  private final HttpsServer server;
  private final Path certificate;

  ApiServer(Path folder) throws Exception {
    Path store = folder.resolve("api.p12");
    certificate = folder.resolve("ca.crt");
    keytool(
        store,
        "-genkeypair",
        "-keyalg",
        "EC",
        "-dname",
        "CN=localhost",
        "-ext",
        "san=dns:localhost");
    keytool(store, "-exportcert", "-rfc", "-file", certificate.toString());
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context(store)));
    server.createContext("/api/v1/nodes/", this::answer);
    server.start();
  }

  private static void keytool(Path store, String... command) throws Exception {
    List<String> words =
        Stream.of(
                List.of(System.getProperty("java.home") + "/bin/keytool"),
                List.of(command),
                List.of("-alias", "api", "-keystore", store.toString(), "-storepass", PASSWORD))
            .flatMap(List::stream)
            .toList();
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  private static SSLContext context(Path store) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    return context;
  }

  private void answer(HttpExchange exchange) throws IOException {
    boolean allowed =
        ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
    String machine = exchange.getRequestURI().getPath().replaceFirst(".*/", "");
    byte[] body =
        """
        {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "%1$s",
         "labels": {"kubernetes.io/hostname": "%1$s", "topology.kubernetes.io/region": "eu-1",
          "topology.kubernetes.io/zone":"zone-of-%1$s"}}}
        """
            .formatted(machine)
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(allowed ? 200 : 401, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  String url() {
    return "https://localhost:" + server.getAddress().getPort();
  }

  Path certificate() {
    return certificate;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
