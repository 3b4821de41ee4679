package dev.ebb.host.admin.entries;

import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.store.stats.EvictionResult;
import dev.ebb.host.units.Percent;
import java.util.List;

/**
 * Routes for cache entries. Reading an entry through the API does not count as an access. The
 * policy chooses the entries to evict unless the request names a key.
 */
public final class EntryRoutes {

  private static final int MOST = 1_000;
  private static final List<String> WAYS = List.of("bytes", "entries", "to", "key");

  private final EntryOperations entries;

  public EntryRoutes(EntryOperations entries) {
    this.entries = entries;
  }

  private record Deleted(boolean deleted) {}

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get("/api/v1/entries", EntryDocument.Page.class, "entries")
                .query(
                    Field.text("prefix", "first bytes of the keys, percent-encoded"),
                    Field.integer("limit", 1, MOST, "how many").or(100),
                    Field.integer("cursor", 0, "`next` of the previous answer").or(0)),
            this::list)
        .document(
            Operation.get(
                "/api/v1/entries/{key}",
                EntryDocument.class,
                "one entry; does not count as an access"),
            this::show)
        .document(
            Operation.delete(
                "/api/v1/entries/{key}", Deleted.class, "removes one entry, as DEL does"),
            this::delete)
        .document(
            Operation.get(
                "/api/v1/explain/{key}",
                EntryDocument.Explained.class,
                "one entry, with the policy's score and explanation"),
            this::explain)
        .document(
            Operation.get(
                "/api/v1/namespaces",
                EntryDocument.Namespaces.class,
                "LoRA adapters, cache salts and deployments that keys name"),
            _ -> new EntryDocument.Namespaces(entries.namespaces()))
        .document(
            Operation.delete(
                    "/api/v1/adapters/{lora}",
                    EntryDocument.Removed.class,
                    "removes all entries of a LoRA adapter, as DEL does")
                .query(Field.text("model", "only those of this model")),
            this::drop)
        .document(
            Operation.post("/api/v1/evict", EvictionResult.class, "evicts entries")
                .body(
                    Field.integer("bytes", 1, "at least that much memory"),
                    Field.integer("entries", 1, "that many entries"),
                    Field.number("to", 0, 1, "until occupancy is at most that"),
                    Field.text("key", "one entry; only the percent sign of the key is encoded")),
            this::evict);
  }

  private EntryDocument.Page list(ServerRequest request) {
    Query query = request.query();
    return entries.page(
        query.bytes("prefix"), query.integer("cursor"), (int) query.integer("limit"));
  }

  private EntryDocument show(ServerRequest request) {
    return entries.find(Percent.decode(request.path("key"))).orElseThrow(() -> absent(request));
  }

  private EntryDocument.Explained explain(ServerRequest request) {
    return entries.explain(Percent.decode(request.path("key"))).orElseThrow(() -> absent(request));
  }

  private Deleted delete(ServerRequest request) {
    if (!entries.delete(Percent.decode(request.path("key")))) {
      throw absent(request);
    }
    return new Deleted(true);
  }

  private EntryDocument.Removed drop(ServerRequest request) {
    String lora = Percent.decodeText(request.path("lora"));
    EntryDocument.Removed removed = entries.drop(lora, request.query().text("model"));
    if (removed.entries() == 0) {
      throw new HttpException(
          404,
          "no entry of LoRA adapter '%s'; 'ebb keys --namespaces' lists adapters".formatted(lora));
    }
    return removed;
  }

  private EvictionResult evict(ServerRequest request) {
    Body body = request.body();
    List<String> given = WAYS.stream().filter(body::has).toList();
    if (given.size() != 1) {
      throw HttpException.bad("exactly one of %s is needed, not %s".formatted(WAYS, given));
    }
    return switch (given.getFirst()) {
      case "bytes" -> entries.evictBytes(body.integer("bytes"));
      case "entries" -> entries.evictEntries(body.integer("entries"));
      case "to" -> entries.evictTo(body.number("to"));
      default -> one(body.text("key"));
    };
  }

  private EvictionResult one(String key) {
    byte[] bytes = Percent.decode(key);
    if (entries.find(bytes).isEmpty()) {
      throw new HttpException(404, "no entry '%s'".formatted(key));
    }
    return entries.evict(bytes);
  }

  private static HttpException absent(ServerRequest request) {
    return new HttpException(
        404, "no entry '%s'".formatted(BinaryKeys.shown(Percent.decode(request.path("key")))));
  }
}
