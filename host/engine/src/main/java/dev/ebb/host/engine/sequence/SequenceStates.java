package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.engine.state.SavedStates;
import java.lang.foreign.MemorySegment;

/** The recurrent states after pages of a sequence's prompt. */
final class SequenceStates {

  /** Where there is room, a prompt's state is saved after every so many pages. */
  private static final int INTERVAL = 16;

  private final SequenceBlocks blocks;
  private final DevicePartition partition;
  private final CacheRequest request;
  private final int promptPages;
  private final int residentPages;

  /**
   * Creates the states of a request that has begun.
   *
   * @param residentPages the leading pages that were cached then; more than matched without a state
   *     there
   */
  SequenceStates(SequenceBlocks blocks, CacheRequest request, int promptPages, int residentPages) {
    this.blocks = blocks;
    partition = blocks.partition;
    this.request = request;
    this.promptPages = promptPages;
    this.residentPages = residentPages;
  }

  /** Returns whether a state is to be saved after some tokens of the prompt. */
  boolean wants(int tokens) {
    SavedStates saved = partition.states;
    int pages = tokens / blockTokens();
    return saved != null
        && tokens % blockTokens() == 0
        && pages > request.matched()
        && caches()
        && (pages == promptPages
            || pages == residentPages
            || (pages < promptPages
                && pages % INTERVAL == 0
                && saved.fitsFree(ownNeed() + saved.blocksEach())));
  }

  private boolean caches() {
    return !partition.cache.policyName().equals(NoEviction.NAME);
  }

  /** Returns the blocks that the sequence may still need. */
  private long ownNeed() {
    long pages = Math.ceilDiv(blocks.sequence().asked.most(), blockTokens());
    return Math.max(0, pages - blocks.table.pages(0)) * partition.layout().laneGroups();
  }

  /** Saves the state after some tokens, whose pages are published. */
  boolean save(int tokens, MemorySegment state) {
    if (tokens % blockTokens() != 0) {
      throw new IllegalArgumentException(
          "'%d' tokens do not fill whole blocks of %d".formatted(tokens, blockTokens()));
    }
    SavedStates saved = states();
    saved.checkSize(state);
    int pages = tokens / blockTokens();
    return pages > 0
        && pages <= request.held()
        && request.filled(pages - 1)
        && saved.save(request.entry(pages - 1), state, request.facts(), ownNeed());
  }

  /** Reads the state after the pages that had matched when the sequence was opened. */
  void load(MemorySegment into) {
    SavedStates saved = states();
    saved.checkSize(into);
    if (request.matched() == 0) {
      throw new IllegalStateException(
          "no state to load: '0' tokens of the prompt had matched; compute from the first one");
    }
    saved.read(request.entry(request.matched() - 1), into);
  }

  private int blockTokens() {
    return partition.layout().blockTokens();
  }

  private SavedStates states() {
    SavedStates saved = partition.states;
    if (saved == null) {
      throw new IllegalStateException(
          "this Ebb keeps no recurrent states; name their size with EbbOptions.withState");
    }
    return saved;
  }
}
