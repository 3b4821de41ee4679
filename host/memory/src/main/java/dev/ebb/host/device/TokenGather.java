package dev.ebb.host.device;

/**
 * The tokens of one block table that are kept. The lanes of a group share the table and the number
 * of tokens kept; the tokens themselves differ from lane to lane.
 *
 * <p>A block holds, for each lane, all its K rows and then all its V rows: {@code
 * [lane][K|V][token][row]}. Token {@code t} of the table is row {@code t % blockTokens} of the
 * block {@code blocks[t / blockTokens]}. After the gather the i-th kept token of each lane is token
 * i.
 */
public final class TokenGather {

  private final int[] blocks;
  private final int lanes;
  private final int blockTokens;
  private final int rowBytes;

  /** By set: the kept tokens; values behind them have no meaning. */
  private final int[][] kept;

  private final int keptTokens;

  /**
   * Creates a gather from a plan, which has checked it and does not change while this is used.
   *
   * @param blocks the block table, in the order of its tokens, no block twice; not copied
   * @param keptTokens how many tokens each lane keeps
   * @param kept for all lanes, or for each, the positions in the table of the kept tokens, rising;
   *     not copied; there may be more behind them
   */
  public TokenGather(
      int[] blocks, int lanes, int blockTokens, int rowBytes, int keptTokens, int[][] kept) {
    this.blocks = blocks;
    this.lanes = lanes;
    this.blockTokens = blockTokens;
    this.rowBytes = rowBytes;
    this.keptTokens = keptTokens;
    this.kept = kept;
  }

  /** Returns the length of the block table. */
  public int blockCount() {
    return blocks.length;
  }

  /** Returns a block of the table. */
  public int block(int index) {
    return blocks[index];
  }

  /** Returns the number of lanes in a block. */
  public int lanes() {
    return lanes;
  }

  public int blockTokens() {
    return blockTokens;
  }

  /** Returns the size of one token's K, or V, in one lane: bytes, at least 1. */
  public int rowBytes() {
    return rowBytes;
  }

  /** Returns the size of a block. */
  public long blockBytes() {
    return 2L * lanes * blockTokens * rowBytes;
  }

  /**
   * Returns the number of different selections.
   *
   * @return 1 if all lanes keep the same tokens, else the lanes
   */
  public int sets() {
    return kept.length;
  }

  /** Returns how many tokens each lane keeps. */
  public int keptTokens() {
    return keptTokens;
  }

  /** Returns the position of a kept token. */
  public int kept(int lane, int index) {
    return kept(lane)[index];
  }

  /** Returns the positions of a lane's kept tokens; there may be more behind them. */
  int[] kept(int lane) {
    return kept[kept.length == 1 ? 0 : lane];
  }
}
