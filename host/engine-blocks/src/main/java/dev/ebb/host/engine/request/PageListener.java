package dev.ebb.host.engine.request;

import org.jspecify.annotations.Nullable;

/**
 * Receives which pages of prompts are cached. A page is known by the first 64 bits of its key,
 * which depends on its prompt up to its end.
 *
 * <p>Called under the engine's lock: implementations return quickly. If several devices cache a
 * page, each is reported.
 */
public interface PageListener {

  /** Ignores everything. */
  PageListener NONE =
      new PageListener() {
        @Override
        public void stored(Page page) {}

        @Override
        public void removed(long id) {}

        @Override
        public void announced(long number, long id) {}

        @Override
        public void onDisk(long number, boolean present) {}
      };

  /**
   * A page of a prompt.
   *
   * @param parent the page before it; null for the first of a prompt
   * @param tokens its tokens; null if they are not known
   */
  // The array is made for the listener.
  @SuppressWarnings("ArrayRecordComponent")
  record Page(long id, @Nullable Long parent, int @Nullable [] tokens, Namespace namespace) {}

  /** Reports a page that other sequences can share from now on, after the page before it. */
  void stored(Page page);

  /** Reports that a page is not in memory any more. */
  void removed(long id);

  /**
   * Reports that a page is about to be written to the disk.
   *
   * @param number what the disk calls it
   */
  void announced(long number, long id);

  /**
   * Reports that an announced page is on the disk, or is not there any more; without the engine's
   * lock. Whoever owns files that engines share reports it, and not the engines.
   */
  void onDisk(long number, boolean present);
}
