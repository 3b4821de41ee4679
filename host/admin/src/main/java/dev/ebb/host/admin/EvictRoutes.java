package dev.ebb.host.admin;

import dev.ebb.host.http.Body;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.store.EvictionResult;
import dev.ebb.host.store.ObjectStore;
import java.util.List;

/** Routes for manual eviction. The policy chooses the entries unless the request names a key. */
final class EvictRoutes {

  private static final List<String> WAYS = List.of("bytes", "entries", "to", "key");

  private final ObjectStore store;

  EvictRoutes(ObjectStore store) {
    this.store = store;
  }

  void addTo(Routes routes) {
    routes.add("POST", "/api/v1/evict", this::evict);
  }

  private Reply evict(ServerRequest request) {
    Body body = request.body("bytes", "entries", "to", "key");
    List<String> given = WAYS.stream().filter(body::has).toList();
    if (given.size() != 1) {
      throw HttpException.bad("exactly one of %s is needed, not %s".formatted(WAYS, given));
    }
    return Reply.json(
        switch (given.getFirst()) {
          case "bytes" -> store.evictBytes(body.integer("bytes", 1, Long.MAX_VALUE));
          case "entries" -> store.evictEntries(body.integer("entries", 1, Long.MAX_VALUE));
          case "to" -> store.evictTo(body.number("to", 0, 1));
          default -> one(body.text("key"));
        });
  }

  private EvictionResult one(String key) {
    byte[] bytes = BinaryKeys.decoded(key);
    if (store.find(bytes).isEmpty()) {
      throw new HttpException(404, "no entry '%s'".formatted(key));
    }
    return store.evict(bytes);
  }
}
