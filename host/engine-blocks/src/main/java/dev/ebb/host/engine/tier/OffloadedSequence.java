package dev.ebb.host.engine.tier;

import dev.ebb.host.engine.request.KeyChain;
import java.nio.charset.StandardCharsets;

/**
 * A preempted sequence whose K and V are on a server, as {@link PageValues}.
 *
 * @param key the beginning of the values' keys, used once
 * @param pages its full pages
 * @param tokens those of these pages
 * @param low the first half of the last page's key in the prefix cache
 * @param high the second half
 */
public record OffloadedSequence(String key, int pages, int tokens, long low, long high) {

  /** Returns the key of the value of a page. */
  public byte[] key(int page) {
    return (key + ":" + page).getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns whether a sequence with these keys begins with its tokens. */
  public boolean begins(KeyChain chain) {
    return chain.blocks() >= pages && chain.low(pages - 1) == low && chain.high(pages - 1) == high;
  }
}
