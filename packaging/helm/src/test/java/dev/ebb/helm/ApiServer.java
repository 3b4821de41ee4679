package dev.ebb.helm;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Answers for the metadata of machines as Kubernetes does, to those who have the token. */
final class ApiServer implements AutoCloseable {

  static final String TOKEN = "token-of-the-service-account";

  private final HttpsServer server;

  ApiServer(Certificate certificate) throws IOException {
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.context()));
    server.createContext("/api/v1/nodes/", this::answer);
    server.start();
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

  @Override
  public void close() {
    server.stop(0);
  }
}
