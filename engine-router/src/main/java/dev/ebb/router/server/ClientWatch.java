package dev.ebb.router.server;

import dev.ebb.host.http.ServerRequest;
import dev.ebb.router.engine.Abort;
import dev.ebb.server.completion.ClosedConnections;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Ends requests at engines when their clients have disconnected. */
final class ClientWatch implements AutoCloseable {

  private static final Duration INTERVAL = Duration.ofMillis(500);

  private final Map<ServerRequest, Abort> clients = new ConcurrentHashMap<>();
  private final ClosedConnections closed = new ClosedConnections();
  private final Thread thread = Thread.ofVirtual().name("client-watch").start(this::run);

  /** Watches the client of a request until {@link #remove}. */
  Abort add(ServerRequest request) {
    Abort gone = new Abort();
    clients.put(request, gone);
    return gone;
  }

  void remove(ServerRequest request) {
    clients.remove(request);
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(INTERVAL);
        clients.forEach((request, gone) -> {
          if (closed.contains(request.server(), request.client())
              && clients.remove(request, gone)) {
            gone.run();
          }
        });
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
