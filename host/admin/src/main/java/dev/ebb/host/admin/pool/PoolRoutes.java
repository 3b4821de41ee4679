package dev.ebb.host.admin.pool;

import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import java.util.List;

public final class PoolRoutes {

  private static final int CELLS = 1_024;
  private static final int MOST_CELLS = 1 << 16;

  private final PoolOperations pool;

  public PoolRoutes(PoolOperations pool) {
    this.pool = pool;
  }

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get("/api/v1/pool", PoolDocument.All.class, "each pool in numbers"),
            () -> new PoolDocument.All(pool.pools()))
        .document(
            Operation.get("/api/v1/pool/map", PoolPicture.All.class, "the use of each block")
                .query(
                    Field.text("device", "one pool; all if missing"),
                    Field.integer("cells", 1, MOST_CELLS, "the most cells for each pool")
                        .or(CELLS)),
            this::map)
        .document(
            Operation.post("/api/v1/pool/defrag", CompactionDocument.All.class, "compacts the pool")
                .body(
                    Field.text("device", "one pool; all if missing"),
                    Field.integer("bytes", 1, "the most bytes to move for each pool")),
            this::defrag)
        .document(
            Operation.post(
                    "/api/v1/pool/migrate",
                    MigrationDocument.All.class,
                    "starts to move a sequence or blocks to another device")
                .status(202)
                .body(
                    Field.integer("sequence", 1, "its number"),
                    Field.of("blocks", Field.Type.INTEGERS, "block numbers"),
                    Field.text("from", "the device of the blocks"),
                    Field.text("device", "the target device").needed(),
                    Field.of("checksum", Field.Type.FLAG, "read each copy back and compare it")),
            this::migrate)
        .document(
            Operation.get(
                "/api/v1/pool/migrations",
                MigrationDocument.All.class,
                "the migrations and their progress"),
            () -> new MigrationDocument.All(pool.migrations()))
        .document(
            Operation.get("/api/v1/pool/migrations/{id}", MigrationDocument.class, "one migration"),
            this::migration);
  }

  private PoolPicture.All map(ServerRequest request) {
    Query query = request.query();
    return new PoolPicture.All(pool.maps(query.text("device"), (int) query.integer("cells")));
  }

  private CompactionDocument.All defrag(ServerRequest request) {
    Body body = request.body();
    long bytes = body.has("bytes") ? body.integer("bytes") : Long.MAX_VALUE;
    String device = body.has("device") ? body.text("device") : null;
    return new CompactionDocument.All(pool.defrag(device, bytes));
  }

  private MigrationDocument.All migrate(ServerRequest request) {
    Body body = request.body();
    if (body.has("sequence") == body.has("blocks")) {
      throw HttpException.bad("give one of 'sequence' and 'blocks'");
    }
    String device = body.text("device");
    boolean checksum = body.flag("checksum", false);
    List<MigrationDocument> moves =
        body.has("sequence")
            ? List.of(pool.migrateSequence(body.integer("sequence"), device, checksum))
            : pool.migrateBlocks(blocks(body), body.text("from"), device, checksum);
    return new MigrationDocument.All(moves);
  }

  private static int[] blocks(Body body) {
    return body.integers("blocks", 0, "a list of block numbers, such as [4, 5]");
  }

  private MigrationDocument migration(ServerRequest request) {
    String id = request.path("id");
    return pool.migration(number(id))
        .orElseThrow(() ->
            new HttpException(
                404, "no migration '%s'; GET /api/v1/pool/migrations lists them".formatted(id)));
  }

  private static long number(String id) {
    try {
      return Long.parseLong(id);
    } catch (NumberFormatException notANumber) {
      return -1;
    }
  }
}
