package dev.ebb.host.engine.tier;

import java.lang.foreign.MemorySegment;

/**
 * Copies the K and V of pages between an engine's memory and its tiers. Without one, the pool's
 * blocks are copied. An engine whose pool has no bytes of its own implements this.
 */
public interface PageBytes {

  /**
   * Returns a name of the model and the order of its bytes. Pages that were written under another
   * name are never read.
   */
  String format();

  int size();

  /**
   * Copies a page out. Meanwhile its blocks stay in place, and are not written. Called on any
   * thread, also during a step, and by several at the same time.
   *
   * @param page its place in the prompt, from 0 on
   * @param blocks its block of each lane group
   * @param target native memory of {@link #size}
   * @return false if the engine has not assigned its bytes to a published page yet; tried again
   */
  boolean read(int page, int[] blocks, MemorySegment target);

  /**
   * Copies a page into blocks of a sequence that is being opened, on the thread that opens it.
   *
   * @param source {@link #size} bytes
   * @return false if there is no room; the engine computes the page then
   */
  boolean write(int page, int[] blocks, MemorySegment source);
}
