package dev.ebb.host.admin.entries;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.evictionlog.EvictionCursor;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import java.util.List;

/** Routes for the eviction log. */
public final class EvictionRoutes {

  private static final int PASSES = 100;

  private final EvictionLog log;

  public EvictionRoutes(EvictionLog log) {
    this.log = log;
  }

  public void addTo(Routes routes) {
    routes.document(
        Operation.get(
                "/api/v1/evictions",
                EvictionDocument.Log.class,
                "the latest evicted and expired entries")
            .query(
                Field.integer("tail", 0, EvictionLog.MAX_SIZE, "only the latest ones").or(100),
                Field.integer("since", 0, "`next` of an earlier answer")),
        this::list);
  }

  private EvictionDocument.Log list(ServerRequest request) {
    Query query = request.query();
    if (query.text("since") != null && query.text("tail") != null) {
      throw HttpException.bad("only one of 'tail' and 'since' can be given");
    }
    long tail = query.integer("tail");
    long since = query.integer("since", Math.max(0, log.written() - tail));
    EvictionCursor cursor = EvictionCursor.at(log, since);
    List<EvictionDocument> evictions = cursor.read().stream().map(EvictionDocument::of).toList();
    List<PassDocument> passes = log.passes(PASSES).stream().map(PassDocument::of).toList();
    return new EvictionDocument.Log(evictions, passes, cursor.missed(), cursor.next());
  }
}
