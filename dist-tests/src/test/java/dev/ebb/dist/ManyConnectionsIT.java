package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A serving process with as many clients as it allows. */
class ManyConnectionsIT {

  private static final int TIMEOUT_MILLIS = 60_000;
  private static final int MOST_LISTENERS = 1_024;
  private static final long PAUSE_MILLIS = 50;
  private static final int MEASURED_SECONDS = Rounds.times(1);
  private static final String LISTEN = "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

  @TempDir private Path directory;
  private final List<Socket> open = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();

  @AfterEach
  void closeSockets() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aThousandConnectionsAndAHundredListenersAreServed() throws Exception {
    run(1_000, 20, 100);
  }

  @Test
  @Tag("stress")
  @Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void tenThousandConnectionsAndAThousandListenersAreServed() throws Exception {
    run(10_000, 200, 1_000);
  }

  private void run(int connections, int active, int listeners) throws Exception {
    Path plugins = Ebb.ROOT.resolve("plugins");
    String settings = "pool.size = 64 MiB, server.max-clients = " + connections;
    try (ServingProcess server = new ServingProcess(directory, plugins, settings, "-Xmx512m");
        VerifyingClients clients = new VerifyingClients(server::resp, active, PAUSE_MILLIS)) {
      TimeUnit.SECONDS.sleep(MEASURED_SECONDS);
      measure("%d active clients".formatted(active), server, clients);
      List<Socket> idle = new ArrayList<>();
      for (int i = active; i < connections; i++) {
        idle.add(connected(server.resp()));
        ping(idle.getLast());
      }
      measure("%d connections".formatted(connections), server, clients);
      oneMoreIsRefused(server);
      AtomicInteger events = new AtomicInteger();
      listen(server, listeners, events);
      await(events, 2 * listeners);
      measure("and %d listeners to events".formatted(listeners), server, clients);
      int before = events.get();
      await(events, before + 2 * listeners);
      for (Socket each : idle) {
        ping(each);
      }
      if (listeners < MOST_LISTENERS) {
        listen(server, MOST_LISTENERS - listeners, events);
      }
      oneMoreListenerIsRefused(server);
      assertThat(problems).isEmpty();
      assertThat(clients.problems()).isEmpty();
      assertThat(server.log().lines().filter(line -> line.contains(" ERROR "))).isEmpty();
    }
  }

  private Socket connected(InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    open.add(socket);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(address, TIMEOUT_MILLIS);
    return socket;
  }

  private static void ping(Socket socket) throws IOException {
    socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
    assertThat(new String(socket.getInputStream().readNBytes(7), StandardCharsets.US_ASCII))
        .isEqualTo("+PONG\r\n");
  }

  private void oneMoreIsRefused(ServingProcess server) throws IOException {
    Socket socket = connected(server.resp());
    assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
        .isEqualTo("-ERR max number of clients reached\r\n");
  }

  private void oneMoreListenerIsRefused(ServingProcess server) throws IOException {
    Socket socket = connected(server.admin());
    socket.getOutputStream().write(LISTEN.getBytes(StandardCharsets.US_ASCII));
    BufferedReader in = reader(socket);
    assertThat(in.readLine()).contains("503");
    String body = in.readLine();
    while (body != null && !body.startsWith("{")) {
      body = in.readLine();
    }
    assertThat(body).contains("'" + MOST_LISTENERS + "'", "close");
  }

  private void listen(ServingProcess server, int count, AtomicInteger events) throws IOException {
    for (int i = 0; i < count; i++) {
      Socket socket = connected(server.admin());
      socket.getOutputStream().write(LISTEN.getBytes(StandardCharsets.US_ASCII));
      BufferedReader in = reader(socket);
      assertThat(in.readLine()).contains("200");
      Thread.startVirtualThread(() -> count(in, socket, events));
    }
  }

  private void count(BufferedReader in, Socket socket, AtomicInteger events) {
    try {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals("event: stats")) {
          events.incrementAndGet();
        }
      }
      problems.add("the server ended a stream of events");
    } catch (IOException ended) {
      if (!socket.isClosed()) {
        problems.add("a stream of events ended: " + ended);
      }
    }
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8), 512);
  }

  private void await(AtomicInteger events, int wanted) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
    while (events.get() < wanted) {
      assertThat(System.nanoTime()).as("%s of %s events", events, wanted).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static void measure(String what, ServingProcess server, VerifyingClients clients)
      throws IOException, InterruptedException {
    long heap = server.heapBytes();
    clients.window();
    TimeUnit.SECONDS.sleep(MEASURED_SECONDS);
    VerifyingClients.Window window = clients.window();
    System.out.printf(
        "%s: RSS %.1f MiB, heap %.1f MiB, %d commands/s, p99 %.1f ms, longest %.1f ms%n",
        what,
        server.residentBytes() / 1048576.0,
        heap / 1048576.0,
        window.commands() / MEASURED_SECONDS,
        window.p99Nanos() / 1e6,
        window.longestNanos() / 1e6);
  }
}
