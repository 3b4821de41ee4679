package dev.ebb.router.server;

import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.lifecycle.Ticker;
import dev.ebb.router.engine.Abort;
import dev.ebb.server.completion.ClosedConnections;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Ends requests at engines when their clients have disconnected. */
final class ClientWatch implements AutoCloseable {

  private final Map<ServerRequest, Abort> clients = new ConcurrentHashMap<>();
  private final ClosedConnections closed = new ClosedConnections();
  private final Ticker ticker = new Ticker("client-watch", Duration.ofMillis(500), this::look);

  /** Watches the client of a request until {@link #remove}. */
  Abort add(ServerRequest request) {
    Abort gone = new Abort();
    clients.put(request, gone);
    return gone;
  }

  void remove(ServerRequest request) {
    clients.remove(request);
  }

  private void look() {
    clients.forEach((request, gone) -> {
      if (closed.contains(request.server(), request.client()) && clients.remove(request, gone)) {
        gone.run();
      }
    });
  }

  @Override
  public void close() {
    ticker.close();
  }
}
