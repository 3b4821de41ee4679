package dev.ebb.host.store.key;

import java.util.List;

/**
 * The tokens of a prompt, as a client states them with its keys; fewer than these need, or none.
 */
// The tokens are those of the command; a copy would be waste.
@SuppressWarnings("ArrayRecordComponent")
public record StatedTokens(
    List<byte[]> keys, int chunkTokens, int[] tokens, String adapter, String salt) {

  public StatedTokens {
    keys = List.copyOf(keys);
  }
}
