package dev.ebb.host.admin;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/**
 * What the blocks of a pool are used for, as a text of one character for each cell of blocks.
 *
 * @param pool its name, or its device's
 * @param blocks how many it has
 * @param cellBlocks how many stand for one character
 * @param uses how many blocks have each use
 * @param symbols the character of each use
 * @param cells of each cell, the use that most of its blocks have
 */
public record PoolPicture(
    String pool,
    int blocks,
    int cellBlocks,
    Map<String, Integer> uses,
    Map<String, String> symbols,
    String cells) {

  /**
   * Draws a pool.
   *
   * @param pool its name
   * @param blocks how many it has
   * @param cells at most so many, at least 1
   * @param all every use there is
   * @param use what a block is used for
   * @param symbol the character of a use
   * @param <U> uses
   * @return the picture
   */
  public static <U extends Enum<U>> PoolPicture of(
      String pool, int blocks, int cells, U[] all, IntFunction<U> use, ToIntFunction<U> symbol) {
    int cellBlocks = Math.max(1, Math.ceilDiv(blocks, cells));
    int[] counts = new int[all.length];
    StringBuilder drawn = new StringBuilder();
    for (int first = 0; first < blocks; first += cellBlocks) {
      int[] here = new int[all.length];
      U most = use.apply(first);
      for (int block = first; block < Math.min(blocks, first + cellBlocks); block++) {
        U used = use.apply(block);
        counts[place(used)]++;
        if (++here[place(used)] > here[place(most)]) {
          most = used;
        }
      }
      drawn.append((char) symbol.applyAsInt(most));
    }
    Map<String, Integer> uses = new LinkedHashMap<>();
    Map<String, String> symbols = new LinkedHashMap<>();
    for (U each : all) {
      String word = each.name().toLowerCase(Locale.ROOT);
      uses.put(word, counts[place(each)]);
      symbols.put(word, String.valueOf((char) symbol.applyAsInt(each)));
    }
    return new PoolPicture(pool, blocks, cellBlocks, uses, symbols, drawn.toString());
  }

  // Counted for each block of a pool that may have millions.
  @SuppressWarnings("EnumOrdinal")
  private static int place(Enum<?> use) {
    return use.ordinal();
  }
}
