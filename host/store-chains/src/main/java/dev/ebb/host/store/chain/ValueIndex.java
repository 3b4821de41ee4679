package dev.ebb.host.store.chain;

import org.jspecify.annotations.Nullable;

/** The visible values of a partition. Guarded by its lock. */
public interface ValueIndex {

  /** Returns the value whose key has this lower half of its hash, expired or not. */
  @Nullable ChainedValue at(long low);

  /** Returns the value in a slot below {@link #slots}; null if there is none. */
  @Nullable ChainedValue inSlot(int slot);

  int slots();

  /** Makes sure that the cache knows the object groups of a chunk as they are known now. */
  void regroup(ChainedValue chunk);
}
