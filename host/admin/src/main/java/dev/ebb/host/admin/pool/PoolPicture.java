package dev.ebb.host.admin.pool;

import dev.ebb.host.pool.BlockMap;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * A map of the blocks of a pool, as strings with one character for each cell. The length depends
 * only on the requested number of cells.
 *
 * @param pool its name, or its device's
 * @param cells the most frequent use of each cell
 * @param shares by use, a digit for each cell: 0 for none of its blocks, 9 for all, otherwise the
 *     share in between
 * @param tenants the tenants with the most blocks, in descending order
 */
public record PoolPicture(
    String pool,
    int blocks,
    int cellBlocks,
    Map<String, Integer> uses,
    Map<String, String> symbols,
    String cells,
    Map<String, String> shares,
    List<Held> tenants) {

  public record All(List<PoolPicture> maps) {}

  /** The number of distinguishable colours. */
  static final int MOST_TENANTS = 8;

  /** The blocks of a tenant, with a digit for each cell, as for uses. */
  public record Held(String name, int blocks, String shares) {}

  /** Creates the map of a pool, with at most so many cells and a character for each use. */
  public static <U extends Enum<U>> PoolPicture of(
      String pool, BlockMap<U> map, int cells, ToIntFunction<U> symbol) {
    List<U> all = map.uses();
    CellCounts uses =
        new CellCounts(map.blocks(), cells, all.size(), block -> all.indexOf(map.use(block)));
    Map<String, Integer> blocks = new LinkedHashMap<>();
    Map<String, String> symbols = new LinkedHashMap<>();
    Map<String, String> shares = new LinkedHashMap<>();
    StringBuilder most = new StringBuilder();
    uses.most().forEach(use -> most.append((char) symbol.applyAsInt(all.get(use))));
    for (U each : all) {
      String word = each.name().toLowerCase(Locale.ROOT);
      blocks.put(word, uses.total(all.indexOf(each)));
      symbols.put(word, String.valueOf((char) symbol.applyAsInt(each)));
      shares.put(word, uses.shares(all.indexOf(each)));
    }
    return new PoolPicture(
        pool,
        map.blocks(),
        uses.cellBlocks(),
        blocks,
        symbols,
        most.toString(),
        shares,
        tenants(map, cells));
  }

  private static List<Held> tenants(BlockMap<?> map, int cells) {
    int[] blocks = new int[map.tenants().size()];
    for (int block = 0; block < map.blocks(); block++) {
      if (map.tenant(block) >= 0) {
        blocks[map.tenant(block)]++;
      }
    }
    List<Integer> largest =
        IntStream.range(0, blocks.length)
            .boxed()
            .sorted(
                Comparator.<Integer>comparingInt(tenant -> -blocks[tenant])
                    .thenComparing(map.tenants()::get))
            .limit(MOST_TENANTS)
            .toList();
    int[] ranks = new int[blocks.length];
    Arrays.fill(ranks, -1);
    largest.forEach(tenant -> ranks[tenant] = largest.indexOf(tenant));
    CellCounts counts =
        new CellCounts(
            map.blocks(),
            cells,
            MOST_TENANTS,
            block -> map.tenant(block) < 0 ? -1 : ranks[map.tenant(block)]);
    return largest.stream()
        .map(tenant ->
            new Held(map.tenants().get(tenant), blocks[tenant], counts.shares(ranks[tenant])))
        .toList();
  }
}
