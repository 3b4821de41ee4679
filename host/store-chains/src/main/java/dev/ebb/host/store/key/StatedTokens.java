package dev.ebb.host.store.key;

import java.util.List;

/**
 * The tokens of a prompt, as a client states them with its keys.
 *
 * @param keys the keys of its chunks, front to back; kept, not to be changed
 * @param chunkTokens the tokens of a chunk
 * @param tokens those of the first chunks; may be fewer than the keys need, or none
 * @param adapter the LoRA adapter; empty for none
 * @param salt what keeps its blocks apart from others with the same tokens; empty for nothing
 */
// The tokens are those of the command; a copy would be waste.
@SuppressWarnings("ArrayRecordComponent")
public record StatedTokens(
    List<byte[]> keys, int chunkTokens, int[] tokens, String adapter, String salt) {

  public StatedTokens {
    keys = List.copyOf(keys);
  }
}
