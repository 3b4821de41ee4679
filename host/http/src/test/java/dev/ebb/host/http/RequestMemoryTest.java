package dev.ebb.host.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.limits.MemoryBudget;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that send half of a body, or do not read a reply. */
class RequestMemoryTest {

  private static final int MIB = 1 << 20;
  private static final String BODY = "{\"a\": \"%s\"}".formatted("x".repeat(700_000));

  private final MemoryBudget budget = MemoryBudget.of(8 * MIB);
  private final List<Socket> clients = new ArrayList<>();
  private HttpServer server;

  @BeforeEach
  void open() {
    Routes routes =
        new Routes()
            .add(
                Operation.post("/question", Object.class, "reads")
                    .body(Field.text("a", ""))
                    .question(),
                request -> Reply.text("text/plain", request.body().text("a").length() + ""))
            .add(
                Operation.page("/large", "text/plain", "returns a large page"),
                request -> Reply.text("text/plain", "x".repeat(7 * MIB)))
            .add(
                Operation.page("/small", "text/plain", "returns a small page"),
                request -> Reply.text("text/plain", "small"));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpOptions options =
        new HttpOptions(
            any, AccessTokens.NONE, null, new HttpOptions.Names("port", "token", "tls"));
    server = HttpServer.open(options, routes, budget);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
    server.close();
  }

  @Test
  void halfSentBodiesAreBounded() throws IOException {
    for (int i = 1; i <= 7; i++) {
      send(post(BODY.substring(0, 600_000)));
      long held = (long) i * MIB;
      Awaiting.until(() -> budget.usedBytes() >= held);
    }
    for (int i = 0; i < 20; i++) {
      send(post(BODY.substring(0, 600_000)));
    }
    assertThat(answer(send(post(BODY))))
        .startsWith("HTTP/1.1 503")
        .containsIgnoringCase("retry-after: 1\r\n")
        .contains("{\"error\":\"", "try again");
    assertThat(answer(send(get("/small")))).startsWith("HTTP/1.1 200").endsWith("small");
    assertThat(budget.usedBytes()).isLessThanOrEqualTo(8 * MIB);

    for (Socket client : clients) {
      client.close();
    }
    Awaiting.until(() -> budget.usedBytes() == 0);
    assertThat(answer(send(post(BODY)))).startsWith("HTTP/1.1 200").endsWith("700000");
  }

  @Test
  void repliesThatNobodyReadsAreBounded() throws IOException {
    Socket reader = send(get("/large"));
    Awaiting.until(() -> budget.usedBytes() > 0);
    Awaiting.until(() -> answer(send(get("/large"))).startsWith("HTTP/1.1 503"));
    assertThat(budget.usedBytes()).isLessThanOrEqualTo(8 * MIB);
    assertThat(answer(send(get("/small")))).startsWith("HTTP/1.1 200");
    assertThat(answer(reader)).startsWith("HTTP/1.1 200").hasSizeGreaterThan(7 * MIB);
  }

  @Test
  void aHeadRequestGetsTheHeadersOfTheReply() throws IOException {
    assertThat(answer(send(get("/small").replace("GET", "HEAD"))))
        .startsWith("HTTP/1.1 200")
        .containsIgnoringCase("content-length: 5\r\n")
        .endsWith("\r\n\r\n");
  }

  private static String get(String path) {
    return "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(path);
  }

  private static String post(String sent) {
    return """
    POST /question HTTP/1.1
    Host: localhost
    Content-Type: application/json
    Content-Length: %d
    Connection: close

    """
            .replace("\n", "\r\n")
            .formatted(BODY.length())
        + sent;
  }

  private Socket send(String text) {
    try {
      Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
      clients.add(socket);
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      return socket;
    } catch (IOException refused) {
      throw new AssertionError(refused);
    }
  }

  private static String answer(Socket socket) {
    try (socket) {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException broken) {
      throw new AssertionError(broken);
    }
  }
}
