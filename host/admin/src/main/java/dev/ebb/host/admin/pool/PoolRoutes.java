package dev.ebb.host.admin.pool;

import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Routes for the memory pools: statistics, compaction and migration. */
public final class PoolRoutes {

  private static final int CELLS = 1_024;
  private static final int MOST_CELLS = 1 << 16;

  private final PoolOperations pool;

  public PoolRoutes(PoolOperations pool) {
    this.pool = pool;
  }

  public void addTo(Routes routes) {
    routes
        .add(
            Operation.get("/api/v1/pool", PoolDocument.All.class, "each pool in numbers"),
            this::show)
        .add(
            Operation.get("/api/v1/pool/map", PoolPicture.All.class, "the use of each block")
                .query(
                    Field.text("device", "one pool; all if missing"),
                    Field.integer("cells", 1, MOST_CELLS, "the most cells for each pool")
                        .or(CELLS)),
            this::map)
        .add(
            Operation.post("/api/v1/pool/defrag", CompactionDocument.All.class, "compacts the pool")
                .body(
                    Field.text("device", "one pool; all if missing"),
                    Field.integer("bytes", 1, "the most bytes to move for each pool")),
            this::defrag)
        .add(
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
        .add(
            Operation.get(
                "/api/v1/pool/migrations",
                MigrationDocument.All.class,
                "the migrations and their progress"),
            this::migrations)
        .add(
            Operation.get("/api/v1/pool/migrations/{id}", MigrationDocument.class, "one migration"),
            this::migration);
  }

  private Reply show(ServerRequest request) {
    request.query();
    return Reply.json(new PoolDocument.All(pool.pools()));
  }

  private Reply map(ServerRequest request) {
    Query query = request.query();
    int cells = (int) query.integer("cells");
    return Reply.json(new PoolPicture.All(pool.maps(query.text("device"), cells)));
  }

  private Reply defrag(ServerRequest request) {
    Body body = request.body();
    long bytes = body.has("bytes") ? body.integer("bytes") : Long.MAX_VALUE;
    return Reply.json(new CompactionDocument.All(pool.defrag(text(body, "device"), bytes)));
  }

  private Reply migrate(ServerRequest request) {
    Body body = request.body();
    if (body.has("sequence") == body.has("blocks")) {
      throw HttpException.bad("give one of 'sequence' and 'blocks'");
    }
    String device = body.text("device");
    boolean checksum = body.flag("checksum", false);
    List<MigrationDocument> moves =
        body.has("sequence")
            ? List.of(pool.migrateSequence(body.integer("sequence"), device, checksum))
            : pool.migrateBlocks(blocks(body.node("blocks")), body.text("from"), device, checksum);
    return Reply.json(202, new MigrationDocument.All(moves));
  }

  private static int[] blocks(@Nullable JsonNode list) {
    if (list == null || !list.isArray() || list.isEmpty()) {
      throw HttpException.bad("'blocks' must be a list of block numbers, such as [4, 5]");
    }
    int[] blocks = new int[list.size()];
    for (int i = 0; i < blocks.length; i++) {
      JsonNode number = list.get(i);
      if (!number.isIntegralNumber() || !number.canConvertToInt() || number.intValue() < 0) {
        throw HttpException.bad("block '%s' must be a whole number, 0 or more".formatted(number));
      }
      blocks[i] = number.intValue();
    }
    return blocks;
  }

  private Reply migrations(ServerRequest request) {
    request.query();
    return Reply.json(new MigrationDocument.All(pool.migrations()));
  }

  private Reply migration(ServerRequest request) {
    request.query();
    String id = request.path("id");
    return pool.migration(number(id))
        .map(Reply::json)
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

  private static @Nullable String text(Body body, String name) {
    return body.has(name) ? body.text(name) : null;
  }
}
