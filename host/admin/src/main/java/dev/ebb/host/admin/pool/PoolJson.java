package dev.ebb.host.admin.pool;

import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.sequence.SequenceMigration;
import dev.ebb.host.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats a pool as the admin API does, for an engine without an admin API. */
public final class PoolJson {

  private PoolJson() {}

  /** Returns the statistics of a pool and its open sequences. */
  public static String stats(PoolReport report) {
    return Json.text(PoolDocument.of(report, null));
  }

  private record Run(int first, int blocks, String use) {}

  private record Runs(int blocks, List<Run> runs) {}

  /** Returns the use of each block, as runs of equal use. */
  public static String map(PoolMap map) {
    List<Run> runs = new ArrayList<>();
    int end;
    for (int first = 0; first < map.blocks(); first = end) {
      BlockUse use = map.use(first);
      end = first + 1;
      while (end < map.blocks() && map.use(end) == use) {
        end++;
      }
      runs.add(new Run(first, end - first, use.name().toLowerCase(Locale.ROOT)));
    }
    return Json.text(new Runs(map.blocks(), runs));
  }

  /** Returns running and finished migrations between devices, as one array. */
  public static String migrations(List<SequenceMigration> migrations) {
    return Json.text(migrations.stream().map(MigrationDocument::of).toList());
  }
}
