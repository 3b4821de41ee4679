package dev.ebb.spi;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An eviction strategy over cache entries. The host reports events to it in order and asks it for
 * the next victim.
 *
 * <p>The host knows which entries are resident, pinned or leaves, and checks every answer. A policy
 * only keeps an order. For each entry the policy returns a <em>node</em> of its own from {@link
 * #inserted}. It gets that same node back with every later event of the entry, so that no event
 * needs a look-up.
 *
 * <p>The life of an entry in a policy:
 *
 * <pre>
 * inserted ──▶ candidate ──victim()──▶ offered ──▶ removed
 *                  ▲                      │
 *                  └──── released ◀── refused (set aside)
 * </pre>
 *
 * <ul>
 *   <li>Each entry that {@link #victim} offers is answered by exactly one of {@link #removed} and
 *       {@link #refused} before {@code victim} is called again.
 *   <li>The host may also ask {@link #admits} about an offer. If that returns false, the host does
 *       not evict the entry: the offer has no other answer, and the entry is a candidate as before.
 *   <li>A refused node is <em>set aside</em>: it must not be offered until {@link #released}. It
 *       may be accessed or removed meanwhile.
 *   <li>{@link #removed} may come at any time for any node, also unasked (expired, deleted).
 *   <li>The events of one request arrive as one batch: {@link #began}, then the evictions that make
 *       room, then the accesses and insertions it causes, deepest block first, then {@link #ended}.
 *       {@code victim} is never called between a request's first access or insertion and its {@code
 *       ended}.
 *   <li>A server may report a long request in several batches, each with the accesses and
 *       insertions since the one before. The last one may have none, and only the output length.
 * </ul>
 *
 * <p>If a method throws, or an answer breaks these rules, the host replaces the policy with its
 * built-in order, except for {@link #victimPart} and {@link #saveState}. No entry is lost.
 *
 * @param <N> the policy's own bookkeeping for one entry; opaque to the host
 * @since 1.0.0
 */
public interface BlockPolicy<N> extends AutoCloseable {

  /**
   * Reports that a request arrived and that its longest resident prefix is known.
   *
   * @param request the whole chain of block fingerprints, resident or not; reused by the host, so
   *     copy what you keep
   */
  default void began(Request request) {}

  /**
   * Reports that the request given to the last {@link #began} has ended. Its output length is known
   * if the engine reports it. Its blocks are about to become candidates.
   *
   * @param request the same request; reused by the host, so copy what you keep
   */
  default void ended(Request request) {}

  /**
   * Reports that an entry became resident, or is handed over from another policy ({@link
   * Entry#origin}).
   *
   * @param entry the entry; the same object until {@link #removed} has returned for its node
   * @return the policy's node for the entry, never null
   */
  N inserted(Entry entry);

  /**
   * Reports that a resident entry was used. Also called for a node that is set aside.
   *
   * @param node the entry's node
   */
  void accessed(N node);

  /**
   * Reports that a key was looked up alone, outside of any request, and had no entry. Together with
   * {@link #accessed} outside of requests, and with the fingerprints that {@link #began} lists from
   * {@link Request#reported} on, this reports each use of each key once.
   *
   * @param fingerprint the {@link Entry#fingerprint} that its entry would have
   * @since 1.5.0
   */
  default void lookupMissed(long fingerprint) {}

  /**
   * Chooses an object of a chunk of a hybrid model that is evicted while its chunk stays. The host
   * asks each time before {@link #victim}, as long as it holds objects that can be evicted alone.
   *
   * <p>Without this method the host follows its own order: first the objects at which no prompt has
   * ended, branched off or gone on. {@code choice} is the host's next object when the call begins,
   * or none if the host would evict a whole entry now. Leave it, set another one, or call {@link
   * PartChoice#none}, after which the host asks for a victim.
   *
   * <p>If the object is missing or in use, or this method throws, the host counts a fault of the
   * policy and follows its own order this time.
   *
   * @param demand what the host needs; reused by the host
   * @param proposed the node of the chunk that {@code choice} names; null if it names none
   * @param choice in: the host's choice; out: the policy's
   * @since 1.6.0
   */
  default void victimPart(Demand demand, @Nullable N proposed, PartChoice choice) {}

  /**
   * Returns the entry that should be evicted next.
   *
   * @param demand what the host needs; reused by the host
   * @return an entry that is held, not set aside and still in the policy's order; null if there is
   *     none
   */
  @Nullable Entry victim(Demand demand);

  /**
   * Returns whether a block of a request should take the place of the victim that was just offered.
   * If not, the host keeps the victim, and caches neither this block nor the blocks after it.
   *
   * <p>Called right after {@link #victim}, only if space is needed for a request that can be served
   * without being cached, and only about an offer that can be evicted. Blocks that fit without an
   * eviction are cached without this call.
   *
   * <p>An engine and a replay ask between {@link #began} and {@link #ended} of the request. A
   * server asks while a client stores the blocks, which is before {@code began} lists them, or
   * after {@code ended}: of the request it knows what the client has shown so far.
   *
   * @param request the request that needs the space; reused by the host
   * @param index the first block of the request for which there is no space
   * @param victim the node of the entry that was offered
   * @return false to keep the victim
   * @since 1.3.0
   */
  default boolean admits(Request request, int index, N victim) {
    return true;
  }

  /**
   * Reports that the entry was removed. The host uses neither the node nor, after this returns, the
   * entry again.
   *
   * @param node the entry's node
   * @param cause why it was removed
   */
  void removed(N node, RemovalCause cause);

  /**
   * Reports that the entry just offered cannot be evicted now: it is pinned, being read, has
   * resident children, or is of higher priority than the request that needs the space. Set it
   * aside.
   *
   * @param node the entry's node
   */
  void refused(N node);

  /**
   * Reports that a refused node is a candidate again. It goes back in at the cold end. If it was
   * accessed since it was refused, it goes where that access puts it.
   *
   * @param node the entry's node
   */
  void released(N node);

  /**
   * Returns how many nodes the policy holds, set aside ones included.
   *
   * @return insertions less removals
   */
  long size();

  /**
   * Reports that the capacity changed. If it shrank, the host evicts the surplus through {@link
   * #victim} as usual.
   *
   * @param capacityBlocks the new capacity in blocks, at least 1
   */
  default void resized(long capacityBlocks) {}

  /**
   * Returns whether the policy is LRU: it admits everything, and the victim is always the candidate
   * that was inserted or used longest ago. A replay then measures all capacities in one pass over a
   * trace.
   *
   * @return false if the order depends on anything else
   * @since 1.7.0
   */
  default boolean isLeastRecentlyUsed() {
    return false;
  }

  /**
   * Returns how long an eviction may take on an idle machine: {@link #victim}, {@link #removed} and
   * the insertion of another entry. {@code ebb plugins verify} warns of a policy that takes longer.
   * Declare more than the default if better victims are worth it. An engine needs about a
   * millisecond to compute a block of 16 tokens again.
   *
   * @return nanoseconds, at least 1
   * @since 1.6.0
   */
  default long evictionBudgetNanos() {
    return 10_000;
  }

  /**
   * Returns the policy's score of an entry. The host records it with each eviction.
   *
   * @param node the entry's node
   * @return any number whose meaning the policy documents; NaN if it has none
   */
  default double score(N node) {
    return Double.NaN;
  }

  /**
   * Explains the entry's position in the order, for a person to read. Called only on request.
   *
   * @param node the entry's node
   * @return one line; empty if there is nothing to say
   */
  default String explain(N node) {
    return "";
  }

  /**
   * Returns the policy's inner state as named numbers, for metrics. Called a few times a minute.
   *
   * @return names in lower case with dashes, for example {@code p}, {@code t1}, {@code ghost-hits}
   */
  default Map<String, Double> gauges() {
    return Map.of();
  }

  /**
   * Returns the number of the format in which {@link #saveState} writes. Change it whenever {@link
   * #loadState} can no longer read what earlier versions wrote.
   *
   * @return at least 1; 0 if the policy has nothing to keep
   * @since 1.1.0
   */
  default int stateFormat() {
    return 0;
  }

  /**
   * Writes what the policy has learned, so that a later instance need not learn it again. Entries
   * are not part of it: the next instance gets its own. Called now and then between events, with
   * the same time limit as {@link #victim}. If it throws, only the state is lost.
   *
   * @param out takes at most 4 MiB
   * @throws IOException if {@code out} does, which ends the attempt
   * @since 1.1.0
   */
  default void saveState(OutputStream out) throws IOException {}

  /**
   * Reads what {@link #saveState} of the same plugin, policy name and format wrote, perhaps with
   * other settings or for another capacity. Called at most once, before any event. If it throws,
   * the host closes this instance and creates another one, which starts with nothing learned.
   *
   * @param in the bytes; check them, as you would check any file
   * @throws IOException if they cannot be used
   * @since 1.1.0
   */
  default void loadState(InputStream in) throws IOException {}

  /**
   * Frees what the policy holds. A second call does nothing, and no other call follows. A policy
   * that failed is closed too, but not one whose call never returned.
   */
  @Override
  default void close() {}
}
