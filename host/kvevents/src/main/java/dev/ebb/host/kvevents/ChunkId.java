package dev.ebb.host.kvevents;

/**
 * The hashes by which a chunk may be known.
 *
 * @param hash the one in events, unless an engine uses the other
 * @param other the end of a page hash, by which vLLM names its blocks; the same for other keys
 * @param deployment stands for the model and the namespace of a page hash; 0 for other keys
 * @param page whether it is a block of sequences and not a value
 */
record ChunkId(long hash, long other, int deployment, boolean page) {

  static ChunkId page(long id) {
    return new ChunkId(id, id, 0, true);
  }
}
