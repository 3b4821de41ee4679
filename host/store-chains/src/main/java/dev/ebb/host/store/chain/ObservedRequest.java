package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.UndecidedBlocks;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.spi.NodeList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A request of an engine, as its commands show it: the keys it looked up, front to back, until one
 * was missing, and the values it stored after that, whose order is not known. A client can also
 * state all keys of a request in their order. As a node it is in the list of requests that have not
 * been completed. Guarded by its partition's lock.
 */
public final class ObservedRequest extends NodeList.Node<ObservedRequest> {

  /** A request that was inactive for this time is completed. */
  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The same for a request that stores its missing chunks when they have been computed. */
  private static final long TILED_IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The same for a request whose client states its end, which comes after the answer. */
  private static final long STATED_IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final AtomicLong SERIALS = new AtomicLong();

  final Chains chains;

  /** Its attributes. Its client may know some of them only at its end. */
  RequestFacts facts;

  /** Its client has stated its keys, and states its end. */
  final boolean stated;

  /** What its client looked up at once, over several connections; null if it did not. */
  @Nullable TiledKeys tiled;

  /** Objects that were missing and have not been stored since. */
  int awaited;

  /** The tokens of its answer; -1 if unknown. */
  long outputTokens = -1;

  /** Those that the policy has received last; -1 if it has received none. */
  long reportedTokens = -1;

  /** The attributes that the policy has received last; null if it has received none. */
  @Nullable RequestFacts reportedFacts;

  /** Both halves of each key whose place in the chain is known. */
  final LongArrayList keys = new LongArrayList();

  /** Values it stored that are not published yet. */
  final List<ChainedValue> made = new ArrayList<>();

  /** Leading keys that its client did not look up: it has them itself. */
  int implied;

  /** The leading keys that were found here. */
  int found;

  /** The leading keys that all object groups of its model could serve when it began. */
  int usable = Integer.MAX_VALUE;

  /** The leading keys that were found when it began, and that its groups could not all serve. */
  int lost;

  /** The leading keys that were found here or on other nodes. */
  int reached;

  /** Of a client that looks all keys up at once, the same; {@link #reached} are those here. */
  int available;

  /** The last value that it found, which stays for it until it is completed. */
  @Nullable ChainedValue held;

  /** Who looked its keys up; null if it is stated. */
  @Nullable ChainClient client;

  /** Its missing key is awaited by another request too. */
  boolean shared;

  /** The last key looked up was missing. */
  boolean missed;

  /** It has read or stored something since its lookups: these are over. */
  boolean served;

  /** A value that it held was read by any client. */
  private boolean read;

  /** The reads of the held value before this request found it. */
  private byte readsBefore;

  /** Its values that are cached until the policy decides on them; null if none was. */
  @Nullable UndecidedBlocks undecided;

  /** What the policy was told about it while it decided; null if it has not decided. */
  @Nullable CacheRequest known;

  /** Values that its client stored in vain since the last completion: the policy rejected them. */
  int rejected;

  /** Both halves of the keys that it stored behind those whose place is known. */
  final LongArrayList stored = new LongArrayList();

  /** The leading keys whose order is known. */
  int ordered;

  /** The keys that an earlier completion has used or published. */
  int completed;

  /** What identifies it to access listeners, above 0. */
  final long serial;

  /** The keys that were reported to access listeners. */
  int reported;

  /** The key that was read last. */
  private int next;

  /** The keys of its values that {@link KeyReports} has not reported. */
  final LongOpenHashSet unreported = new LongOpenHashSet(0);

  /** Its leading keys whose values have been announced to the key listener. */
  int announced;

  /** The missing key that the next report waits for; none if there is none. */
  long blockedBy = Predecessors.NONE;

  /** It is stated, and has ended or was inactive for too long. */
  volatile boolean over;

  /** It is in the statistics. */
  boolean counted;

  /** When it was active first and last, by the clock of intervals. */
  long firstNanos;

  long lastNanos;

  /** The client's name for it; null if it is not stated. */
  @Nullable String id;

  /** The client's trace context; null if it has sent none. */
  @Nullable String traceparent;

  /** The tokens of its prompt; -1 if unknown. */
  long inputTokens = -1;

  /** Its chunks that were read from the disk and from other nodes, and those stored for it. */
  int diskReads;

  int peerReads;
  int storedChunks;

  /** Entries that were evicted while it waited for memory. */
  long evictions;

  private SlowestSteps slowest = SlowestSteps.NONE;
  private RequestListener.@Nullable RequestTrace trace;

  /** The listener to requests has received it. */
  private boolean listenedTo;

  ObservedRequest(Chains chains, RequestFacts facts, boolean stated) {
    this.chains = chains;
    serial = SERIALS.incrementAndGet();
    this.facts = facts;
    this.stated = stated;
  }

  /**
   * Returns whether its lookups are over: it was served, or what it found was read by any client.
   */
  boolean isServed() {
    return served || read || (held != null && held.reads != readsBefore);
  }

  void reportTo(RequestListener listener, long now) {
    if (listenedTo || listener == RequestListener.NONE || size() == implied) {
      return;
    }
    listenedTo = true;
    listener.ended(
        new RequestListener.EndedRequest(
            id,
            traceparent,
            facts,
            chains.cache.policyName(),
            inputTokens,
            outputTokens,
            now - firstNanos,
            now - lastNanos,
            size() - implied,
            hits(),
            hitsHere(),
            diskReads,
            peerReads,
            storedChunks,
            evictions,
            slowest,
            trace));
  }

  /** Returns the trace context for a read elsewhere; null if nobody records it. */
  @Nullable String trace(RequestListener listener, long now) {
    if (trace == null) {
      trace = listener.traced(traceparent, now - firstNanos);
    }
    return trace.traceparent();
  }

  public void hasRead(long nanos) {
    slowest = slowest.withRead(nanos);
  }

  void hasStored(long nanos, long allocating) {
    slowest = slowest.withStore(nanos, allocating);
  }

  /** Ends it at its client's word; -1 tokens stand for those expected at its start. */
  public void end(long tokens, UnaryOperator<RequestFacts> shown) {
    chains.locked(() -> {
      outputTokens = tokens < 0 ? outputTokens : tokens;
      facts = shown.apply(facts).retainedFrom(chains.time.nanos());
      chains.end(this);
    });
  }

  /** Adds to its attributes; the time is by the cache's clock. */
  public void hint(BiFunction<RequestFacts, Long, RequestFacts> hinted) {
    chains.locked(() -> facts = hinted.apply(facts, chains.time.nanos()));
  }

  public boolean isOver() {
    return over;
  }

  /** Pins the last value that it found, and all before it, in place of the one so far. */
  void hold(BlockCache cache, @Nullable ChainedValue next) {
    ChainedValue before = held;
    // The next one first: then what is before both stays pinned.
    if (next != null) {
      next.holds++;
      cache.pin(requireNonNull(next.entry));
    }
    read = isServed();
    held = next;
    readsBefore = next == null ? 0 : next.reads;
    if (before != null) {
      before.holds--;
      cache.unpin(requireNonNull(before.entry));
    }
  }

  /** Records that its lookups go on, whoever has read what it found. */
  void resume() {
    read = false;
    readsBefore = held == null ? 0 : held.reads;
  }

  /** Returns how many of some leading keys that were found all object groups of its model serve. */
  public int usable(int of) {
    return Math.min(of, usable);
  }

  /** Returns how many leading keys its client found and can use, here or elsewhere. */
  int hits() {
    return Math.max(0, (found < leading() ? leading() : usable(found)) - implied);
  }

  /** Returns the leading keys that were found here or elsewhere. */
  int leading() {
    return isTiled() ? available : reached;
  }

  /** Returns whether a key is one of these, of a client that looks all keys up at once. */
  boolean isAvailable(long low) {
    int place = placeOf(low);
    return place >= 0 && place < available;
  }

  /** Returns how many of these memory alone could serve. */
  int hitsHere() {
    return Math.max(0, usable(found) - implied);
  }

  boolean isTiled() {
    return tiled != null;
  }

  long idleNanos() {
    if (stated) {
      return STATED_IDLE_NANOS;
    }
    return isTiled() ? TILED_IDLE_NANOS : IDLE_NANOS;
  }

  public int size() {
    return keys.size() / 2;
  }

  public @Nullable String tenant() {
    return facts.tenant();
  }

  /** Returns the lower half of each key. */
  public long[] chunks() {
    long[] chunks = new long[size()];
    Arrays.setAll(chunks, this::low);
    return chunks;
  }

  long low(int index) {
    return keys.getLong(2 * index);
  }

  long high(int index) {
    return keys.getLong(2 * index + 1);
  }

  long lastLow() {
    return low(size() - 1);
  }

  /** Returns whether it has found a key. Keys are read in order, mostly. */
  boolean hasFound(long low) {
    for (int i = 0; i < reached; i++) {
      int index = (next + i) % reached;
      if (low(index) == low) {
        next = index;
        return true;
      }
    }
    return false;
  }

  /** Returns the place of a key that it stores now: for a learned request, behind all so far. */
  int storing(long low, long high) {
    int place = stated || isTiled() || (stored.isEmpty() && low == lastLow()) ? placeOf(low) : -1;
    int last = stored.size() / 2 - 1;
    if (place >= 0) {
      return place;
    }
    if (last < 0 || stored.getLong(2 * last) != low) {
      stored.add(low);
      stored.add(high);
      last++;
    }
    return size() + last;
  }

  /** Returns the place of a key; -1 if it has not been looked up or stored. */
  int placeOf(long low) {
    for (int i = 0; i < size(); i++) {
      int index = (next + i) % size();
      if (low(index) == low) {
        next = index;
        return index;
      }
    }
    for (int i = 0; i < stored.size(); i += 2) {
      if (stored.getLong(i) == low) {
        return size() + i / 2;
      }
    }
    return -1;
  }

  /** Adds the keys that it stored, and that are not among its keys: the policy rejected them. */
  void addStored() {
    if (stored.isEmpty()) {
      return;
    }
    LongOpenHashSet known = new LongOpenHashSet();
    for (int i = 0; i < size(); i++) {
      known.add(low(i));
    }
    for (int i = 0; i < stored.size(); i += 2) {
      if (known.add(stored.getLong(i))) {
        add(stored.getLong(i), stored.getLong(i + 1));
      }
    }
    stored.clear();
  }

  void add(long low, long high) {
    keys.add(low);
    keys.add(high);
  }

  /** Returns the attributes of a key that is stored for a request, or for none. */
  public static RequestFacts facts(ObjectKey key, @Nullable ObservedRequest by) {
    return by != null && by.stated ? by.facts : key.labels().facts();
  }
}
