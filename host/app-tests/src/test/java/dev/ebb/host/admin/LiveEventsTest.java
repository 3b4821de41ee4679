package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.EventFeed;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerSentEvents;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class LiveEventsTest {

  @TempDir private Path home;

  @Test
  void theNumbersComeEachSecond() throws IOException, InterruptedException {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      HttpResponse<InputStream> response =
          process
              .client()
              .send(
                  process.request("/api/v1/events").build(),
                  HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
      try (BufferedReader events = reader(response.body())) {
        assertThat(next(events, "stats").at("/keys/count").longValue()).isZero();
        process.put("a", 10);
        while (next(events, "stats").at("/keys/count").longValue() == 0) {
          assertThat(response.statusCode()).isEqualTo(200);
        }
      }
    }
  }

  private static BufferedReader reader(InputStream in) {
    return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
  }

  /** The data of the next event of a name. */
  static JsonNode next(BufferedReader events, String name) throws IOException {
    while (true) {
      String line = events.readLine();
      assertThat(line).as("the stream ended").isNotNull();
      if (line.equals("event: " + name)) {
        String data = events.readLine();
        assertThat(data).startsWith("data: ");
        return new ObjectMapper().readTree(data.substring("data: ".length()));
      }
    }
  }

  @Test
  void whoDoesNotReadIsCutOffAndTheOthersAreNot() throws IOException {
    try (EventFeed feed = new EventFeed();
        HttpServer server = open(feed);
        Socket slow = connect(server);
        Socket quick = connect(server)) {
      BufferedReader events = reader(quick.getInputStream());
      awaitStart(events);
      awaitStart(reader(slow.getInputStream()));
      String large = "x".repeat(1 << 20);
      int sent = 0;
      // What the system buffers for the slow one is bounded, and so is its queue.
      while (feed.readers() == 2 && sent < 1_000) {
        feed.publish("large", large);
        while (!events.readLine().startsWith("data: ")) {
          assertThat(feed.readers()).isPositive();
        }
        sent++;
      }
      assertThat(feed.readers()).isEqualTo(1);
      feed.publish("last", "1");
      String line = events.readLine();
      while (!line.equals("event: last")) {
        line = events.readLine();
      }
      assertThat(events.readLine()).isEqualTo("data: 1");
    }
  }

  @Test
  void tooManyListenersAreRefused() throws IOException {
    try (EventFeed feed = new EventFeed();
        HttpServer server = open(feed)) {
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < EventFeed.MOST_READERS; i++) {
        Socket socket = connect(server);
        awaitStart(reader(socket.getInputStream()));
        sockets.add(socket);
      }
      assertThat(feed.readers()).isEqualTo(EventFeed.MOST_READERS);
      try (Socket late = connect(server)) {
        assertThat(reader(late.getInputStream()).readLine())
            .isEqualTo("HTTP/1.1 503 Service Unavailable");
      }
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  // Closing it is what is tested.
  @SuppressWarnings("try")
  void closingTheFeedEndsTheStream() throws IOException {
    try (EventFeed feed = new EventFeed();
        HttpServer server = open(feed);
        Socket socket = connect(server)) {
      BufferedReader events = reader(socket.getInputStream());
      awaitStart(events);
      assertThat(feed.readers()).isEqualTo(1);
      feed.close();
      // The last chunk; the connection itself is kept for the next request.
      String line = events.readLine();
      while (line.isEmpty()) {
        line = events.readLine();
      }
      assertThat(line).isEqualTo("0");
    }
  }

  private static HttpServer open(EventFeed feed) {
    Routes routes =
        new Routes()
            .add(Operation.page("/", ServerSentEvents.TYPE, "events"), request -> feed.open());
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return HttpServer.open(
        new HttpOptions(
            any, AccessTokens.NONE, null, new HttpOptions.Names("--admin-port", "token", "tls")),
        routes,
        HttpServer.clientMemory());
  }

  private static Socket connect(HttpServer server) throws IOException {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.setSoTimeout(180_000);
    socket
        .getOutputStream()
        .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static void awaitStart(BufferedReader events) throws IOException {
    String line = events.readLine();
    while (!line.equals(":")) {
      line = events.readLine();
    }
    assertThat(events.readLine()).isEmpty();
  }
}
