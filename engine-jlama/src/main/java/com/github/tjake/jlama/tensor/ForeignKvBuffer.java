package com.github.tjake.jlama.tensor;

import java.util.UUID;

/**
 * A KV buffer of Jlama without pages of its own. It is in this package because the constructor of
 * its base is visible nowhere else.
 */
public abstract class ForeignKvBuffer extends KvBufferCache.KvBuffer {

  private final KvBufferCache cache;

  /** Creates a buffer. */
  protected ForeignKvBuffer(KvBufferCache cache) {
    this.cache = cache;
    cache.super(UUID.randomUUID(), 0, true);
  }

  /** The base makes a table of its pages, which here are none. */
  @Override
  public KvBufferCache.KvPageContext computePageSize(long bytes) {
    return cache.new KvPageContext(new UUID(0, 0), 1, 1, 1, 1);
  }

  /** Frees nothing: the memory belongs to another. */
  @Override
  public void close() {
    // The base would close its pages.
  }
}
