package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * A unit of caching and eviction: a prefix block, or an object put by a client. Owned and kept up
 * to date by the host; read-only for policies.
 *
 * <p>Attributes of the last user (sequence, turn, tenant ...) are those of the request that used
 * the entry last. Unknown whole numbers are -1, other unknown numbers NaN, unknown names null. The
 * host never invents a value.
 *
 * @since 1.0.0
 */
public interface Entry {

  /**
   * Returns a 64-bit name of the entry's content, the same each time that content is cached. Ghost
   * lists and sketches key on it.
   *
   * @return well-mixed bits; two different contents share one with probability 2^-64
   */
  long fingerprint();

  /**
   * Returns whether the entry is new to the cache, or was resident before this policy took over.
   *
   * @return how the policy came to hold it
   */
  Origin origin();

  /**
   * Returns the size of the entry. It may change while the entry is resident, without an event: a
   * chunk of a model on several workers has a value for each of them. A policy that sums sizes
   * keeps its own copy.
   *
   * @return blocks, at least 1
   */
  int blocks();

  /**
   * Returns how many object groups the entry's model has: vLLM calls them KV cache groups. A chunk
   * of a hybrid model has an object for each kind of layers, and some of them may be missing. May
   * change if the groups of the model become known later.
   *
   * @return 1 unless the model is known to be hybrid; groups are numbered from 0
   * @since 1.6.0
   */
  default int groups() {
    return 1;
  }

  /**
   * Returns the kind of a group, as the number of chunks that a prompt needs before the point from
   * which it goes on.
   *
   * @param group 0 or more, less than {@link #groups}
   * @return 0 for full attention, which needs all chunks; 1 for recurrent layers, which need their
   *     last state; the chunks of the window for sliding-window attention
   * @since 1.6.0
   */
  default int window(int group) {
    return 0;
  }

  /**
   * Returns the size of the object of a group. The sum over all groups is at most {@link #blocks}.
   *
   * @param group 0 or more, less than {@link #groups}
   * @return blocks; 0 if the object is missing
   * @since 1.6.0
   */
  default int partBlocks(int group) {
    return blocks();
  }

  /**
   * Returns whether the object of a group can be evicted alone: it is resident, its group does not
   * need all chunks, and no running request goes on from it. A client may be reading it
   * nevertheless.
   *
   * @param group 0 or more, less than {@link #groups}
   * @return true if {@link BlockPolicy#victimPart} may choose it
   * @since 1.6.0
   */
  default boolean partEvictable(int group) {
    return false;
  }

  /**
   * Returns how many blocks precede it in its prefix.
   *
   * @return 0 for the first block of a prompt, and for an object
   */
  int depth();

  /**
   * Returns whether it was the last block of the prompt that used it last. Such a block is usually
   * partly filled and seldom used again.
   *
   * @return true for the last block
   */
  boolean lastOfRequest();

  /**
   * Returns how many different child blocks were ever inserted under it.
   *
   * @return 0 for an entry that never had a child
   */
  int childrenSeen();

  /**
   * Returns how often it was used since it became resident. Calls to a policy come in batches, so
   * the number may already include later accesses.
   *
   * @return 1 after insertion, one more for each access
   */
  int accesses();

  /**
   * Returns when it became resident.
   *
   * @return nanoseconds of {@link PolicyContext#clock()}
   */
  long createdNanos();

  /**
   * Returns when it became resident, as a tick: a number that only grows, so that no two moments
   * tie.
   *
   * @return the tick of insertion
   */
  long createdTick();

  /**
   * Returns when it was used last.
   *
   * @return nanoseconds of {@link PolicyContext#clock()}
   */
  long lastAccessNanos();

  /**
   * Returns when it was used last, as a tick. Policies order by this, not by nanoseconds, which
   * tie.
   *
   * @return the tick of the last access; larger is later
   */
  long lastAccessTick();

  /**
   * Returns the sequence (conversation, agent run) that used it last.
   *
   * @return an opaque id, or -1 if unknown
   */
  long sequenceId();

  /**
   * Returns the turn of that sequence in which the entry was used last.
   *
   * @return 1 for the first turn, or -1 if unknown
   */
  int turn();

  /**
   * Returns the length of the sequence that used it last, at that time.
   *
   * @return tokens, or -1 if unknown
   */
  long sequenceLength();

  /**
   * Returns the maximum length of that sequence.
   *
   * @return tokens, or -1 if unknown
   */
  long maxSequenceLength();

  /**
   * Returns the priority of the request that used it last; larger is more important.
   *
   * @return 0 low, 1 normal, 2 high, or any other number the caller gave
   */
  int priority();

  /**
   * Returns the tenant that used it last.
   *
   * @return the tenant's name, or null if unknown
   */
  @Nullable String tenant();

  /**
   * Returns the kind of work that used it last, for example {@code "chat"} or {@code "agent"}.
   *
   * @return the label, or null if unknown
   */
  @Nullable String workload();

  /**
   * Returns the opaque hint of the request that used it last; see {@link Request#hint()}.
   *
   * @return the hint, 0 if none
   */
  default int hint() {
    return 0;
  }

  /**
   * Returns a client's own estimate of how long the entry will be useful after its last access.
   *
   * @return nanoseconds, or -1 if none was given
   */
  default long lifetimeHintNanos() {
    return -1;
  }

  /**
   * Returns the cost of computing the entry again, as the client of its last use has measured or
   * estimated it. It does not include the entries before it.
   *
   * @return milliseconds of prefill, or NaN if unknown
   */
  default double recomputeCost() {
    return Double.NaN;
  }

  /**
   * Returns how strongly clients have asked to keep the entry, until {@link #retainedUntilNanos}: a
   * KV hint such as {@code kv.retain} of vLLM. It lasts when requests without such a hint use the
   * entry.
   *
   * @return 1 to 100 if it is retained, larger is more important; 0 without such a hint; -1 if its
   *     last user will not need it soon
   * @since 1.7.0
   */
  default int retention() {
    return 0;
  }

  /**
   * Returns when {@link #retention} ends. After that, treat the entry as one without such a hint.
   *
   * @return nanoseconds of {@link PolicyContext#clock()}; {@link Long#MAX_VALUE} if never
   * @since 1.7.0
   */
  default long retainedUntilNanos() {
    return Long.MAX_VALUE;
  }
}
