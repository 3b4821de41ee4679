package dev.ebb.host.admin.entries;

import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;

/** Routes for cache entries. Reading an entry through the API does not count as an access. */
public final class EntryRoutes {

  private static final int MOST = 1_000;

  private final EntryOperations entries;

  public EntryRoutes(EntryOperations entries) {
    this.entries = entries;
  }

  private record Deleted(boolean deleted) {}

  public void addTo(Routes routes) {
    routes
        .add(
            Operation.get("/api/v1/entries", EntryDocument.Page.class, "entries")
                .query(
                    Field.text("prefix", "first bytes of the keys, percent-encoded"),
                    Field.integer("limit", 1, MOST, "how many").or(100),
                    Field.integer("cursor", 0, "`next` of the previous answer").or(0)),
            this::list)
        .add(
            Operation.get(
                "/api/v1/entries/{key}",
                EntryDocument.class,
                "one entry; does not count as an access"),
            this::show)
        .add(
            Operation.delete(
                "/api/v1/entries/{key}", Deleted.class, "removes one entry, as DEL does"),
            this::delete)
        .add(
            Operation.get(
                "/api/v1/explain/{key}",
                EntryDocument.Explained.class,
                "one entry, with the policy's score and explanation"),
            this::explain);
  }

  private Reply list(ServerRequest request) {
    Query query = request.query();
    return Reply.json(
        entries.page(query.bytes("prefix"), query.integer("cursor"), (int) query.integer("limit")));
  }

  private Reply show(ServerRequest request) {
    request.query();
    return entries
        .find(BinaryKeys.decoded(request.path("key")))
        .map(Reply::json)
        .orElseThrow(() -> absent(request));
  }

  private Reply explain(ServerRequest request) {
    request.query();
    return entries
        .explain(BinaryKeys.decoded(request.path("key")))
        .map(Reply::json)
        .orElseThrow(() -> absent(request));
  }

  private Reply delete(ServerRequest request) {
    request.query();
    if (!entries.delete(BinaryKeys.decoded(request.path("key")))) {
      throw absent(request);
    }
    return Reply.json(new Deleted(true));
  }

  static HttpException absent(ServerRequest request) {
    return new HttpException(404, "no entry '%s'".formatted(BinaryKeys.shown(request.path("key"))));
  }
}
