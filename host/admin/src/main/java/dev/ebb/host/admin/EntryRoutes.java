package dev.ebb.host.admin;

import dev.ebb.host.cache.Explanation;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Json;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.store.EntryView;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.ScanPage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Routes for cache entries. Reading an entry through the API does not count as an access. */
final class EntryRoutes {

  private static final int MOST = 1_000;

  /**
   * The limit on scanned places for each call; a rare prefix in a large cache needs several calls.
   */
  private static final int MOST_STEPS = 1 << 17;

  private final ObjectStore store;

  EntryRoutes(ObjectStore store) {
    this.store = store;
  }

  private record Deleted(boolean deleted) {}

  void addTo(Routes routes) {
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
    byte[] prefix = query.bytes("prefix");
    int limit = (int) query.integer("limit");
    long cursor = query.integer("cursor");
    Predicate<byte[]> wanted =
        key ->
            key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    List<EntryDocument> entries = new ArrayList<>();
    int steps = 0;
    do {
      // A place may hold a value and its attachment.
      int places = Math.max(1, (limit - entries.size()) / 2);
      ScanPage page = store.scan(cursor, places, wanted);
      page.keys().forEach(key -> store.find(key).map(EntryDocument::of).ifPresent(entries::add));
      cursor = page.next();
      steps += places;
    } while (cursor != 0 && entries.size() < limit && steps < MOST_STEPS);
    return Reply.json(new EntryDocument.Page(entries, Long.toString(cursor)));
  }

  private Reply show(ServerRequest request) {
    request.query();
    return store
        .find(BinaryKeys.decoded(request.path("key")))
        .map(entry -> Reply.json(EntryDocument.of(entry)))
        .orElseThrow(() -> absent(request));
  }

  private Reply explain(ServerRequest request) {
    request.query();
    byte[] key = BinaryKeys.decoded(request.path("key"));
    EntryView entry = store.find(key).orElseThrow(() -> absent(request));
    Explanation said = store.explain(key).orElse(null);
    return Reply.json(
        new EntryDocument.Explained(
            EntryDocument.of(entry),
            said == null ? null : said.policy(),
            said == null ? null : Json.known(said.score()),
            said == null ? null : said.text()));
  }

  private Reply delete(ServerRequest request) {
    request.query();
    if (!store.delete(BinaryKeys.decoded(request.path("key")))) {
      throw absent(request);
    }
    return Reply.json(new Deleted(true));
  }

  static HttpException absent(ServerRequest request) {
    return new HttpException(404, "no entry '%s'".formatted(BinaryKeys.shown(request.path("key"))));
  }
}
