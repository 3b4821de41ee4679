package dev.ebb.host.admin;

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
 * What the blocks of a pool are used for, as texts of one character for each cell of blocks: as
 * long as was asked for, however large the pool is.
 *
 * @param pool its name, or its device's
 * @param blocks how many it has
 * @param cellBlocks how many stand for one character
 * @param uses how many blocks have each use
 * @param cells of each cell, the use that most of its blocks have
 * @param shares of each use, a digit for each cell: 0 if none of its blocks has this use, 9 if all
 *     have it, else the share of them between
 * @param tenants those with most blocks, most first
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

  /** The pictures of all pools. */
  public record All(List<PoolPicture> maps) {}

  /** As many as colours can tell apart. */
  static final int MOST_TENANTS = 8;

  /**
   * What a tenant has of a pool.
   *
   * @param blocks how many
   * @param shares a digit for each cell, as for uses
   */
  public record Held(String name, int blocks, String shares) {}

  /**
   * Draws a pool.
   *
   * @param pool its name
   * @param cells at most so many, at least 1
   * @param symbol the character of a use
   * @param <U> uses
   * @return the picture
   */
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
