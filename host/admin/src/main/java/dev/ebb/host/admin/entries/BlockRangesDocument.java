package dev.ebb.host.admin.entries;

import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.TokenIndex;
import java.util.ArrayList;
import java.util.List;

/**
 * Which blocks of a prompt are resident. Question and answer have the form of Dynamo's client of a
 * shared cache.
 *
 * @param ranges the first block of each run, and the first one after it
 */
public record BlockRangesDocument(List<int[]> ranges) {

  private static final String HASHES = "block_hashes";

  public static void addTo(Routes routes, ObjectStore store) {
    routes.document(
        Operation.post(
                "/api/v1/blocks",
                BlockRangesDocument.class,
                "which blocks of a prompt are resident, as ranges of their positions")
            .question()
            .body(
                Field.of(
                        HASHES,
                        Field.Type.LONGS,
                        "the XXH3 hash of each block's tokens, front to back, as Dynamo's routers"
                            + " compute it")
                    .needed()),
        request -> of(store.tokenIndex(), request));
  }

  private static BlockRangesDocument of(TokenIndex index, ServerRequest request) {
    Body body = request.body();
    long[] blocks = body.longs(HASHES, "a list of hashes of 64 bits, such as [1, 2]");
    if (index == TokenIndex.NONE) {
      throw new HttpException(
          404,
          "tokens are not known without KV events; set ebb.server.kv-events.enabled = true and"
              + " start it again");
    }
    return of(index.resident(blocks, any -> true));
  }

  private static BlockRangesDocument of(boolean[] resident) {
    List<int[]> ranges = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= resident.length; i++) {
      if (i == resident.length || !resident[i]) {
        if (i > from) {
          ranges.add(new int[] {from, i});
        }
        from = i + 1;
      }
    }
    return new BlockRangesDocument(ranges);
  }
}
