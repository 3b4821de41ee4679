package dev.ebb.host.kvevents.tokens;

/**
 * A block of an engine, as its events or a client's request describe it.
 *
 * @param id the hash that events name it by
 * @param first whether it starts a prompt, so that it has no parent
 * @param parent the hash of the block before it
 * @param tokens its tokens; not to be changed
 * @param adapter the name of the LoRA adapter; empty for none
 * @param salt the salt that routers know; empty for none
 * @param extraKeys the engine's extra keys of the block in MessagePack; empty for none
 */
// The arrays are shared, because a copy for each event would be waste.
@SuppressWarnings("ArrayRecordComponent")
public record TokenBlock(
    long id,
    boolean first,
    long parent,
    int[] tokens,
    String adapter,
    String salt,
    byte[] extraKeys) {

  /**
   * A block in its prompt.
   *
   * @param chained whether all blocks before it are known
   * @param before the hash by which a router names the blocks before it, if they are known
   */
  public record Placed(TokenBlock block, boolean chained, long before) {

    /** Returns the seed of the router's hashes of its tokens. */
    public long seed() {
      return RouterHashes.seed(block.adapter, block.salt);
    }
  }
}
