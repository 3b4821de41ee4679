package dev.ebb.host.admin.entries;

import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.store.EvictionResult;
import java.util.List;

/** Routes for manual eviction. The policy chooses the entries unless the request names a key. */
public final class EvictRoutes {

  private static final List<String> WAYS = List.of("bytes", "entries", "to", "key");

  private final EntryOperations entries;

  public EvictRoutes(EntryOperations entries) {
    this.entries = entries;
  }

  public void addTo(Routes routes) {
    routes.add(
        Operation.post("/api/v1/evict", EvictionResult.class, "evicts entries")
            .body(
                Field.integer("bytes", 1, "at least that much memory"),
                Field.integer("entries", 1, "that many entries"),
                Field.number("to", 0, 1, "until occupancy is at most that"),
                Field.text("key", "one entry; only the percent sign of the key is encoded")),
        this::evict);
  }

  private Reply evict(ServerRequest request) {
    Body body = request.body();
    List<String> given = WAYS.stream().filter(body::has).toList();
    if (given.size() != 1) {
      throw HttpException.bad("exactly one of %s is needed, not %s".formatted(WAYS, given));
    }
    return Reply.json(
        switch (given.getFirst()) {
          case "bytes" -> entries.evictBytes(body.integer("bytes"));
          case "entries" -> entries.evictEntries(body.integer("entries"));
          case "to" -> entries.evictTo(body.number("to"));
          default -> one(body.text("key"));
        });
  }

  private EvictionResult one(String key) {
    byte[] bytes = BinaryKeys.decoded(key);
    if (entries.find(bytes).isEmpty()) {
      throw new HttpException(404, "no entry '%s'".formatted(key));
    }
    return entries.evict(bytes);
  }
}
