package dev.ebb.host.store.key;

import java.util.function.Predicate;

/** Which blocks of tokens are resident, as routers name them. Thread-safe; calls do not wait. */
public interface TokenIndex {

  /** Without KV events, tokens are not known. */
  TokenIndex NONE =
      new TokenIndex() {

        @Override
        public void stated(StatedTokens tokens) {}

        @Override
        public boolean[] resident(long[] blocks, Predicate<byte[]> usable) {
          return new boolean[blocks.length];
        }
      };

  void stated(StatedTokens tokens);

  /**
   * Returns which blocks of a prompt are resident, in memory or on the disk.
   *
   * @param blocks the hash of each block's tokens, front to back; XXH3 as Dynamo's routers use it
   * @param usable whether the caller may know that a key exists; the key is empty if it is not
   *     known, as for values on the disk alone
   */
  boolean[] resident(long[] blocks, Predicate<byte[]> usable);
}
