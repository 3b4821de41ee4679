package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Learns the chains of prompts from what engines look up, read and store, and gives the cache
 * requests of whole chains. What it assumes wrongly costs hits, never a wrong value. Guarded by the
 * partition's lock.
 */
public final class Chains {

  /** The share of a partition that values of requests which are still running may take. */
  private static final double SHARE = 0.25;

  final BlockCache cache;
  private final PolicyPlace place;
  final ValueIndex values;
  final AccessListeners listeners;
  final KeyReports reports;
  final PolicyClock time;
  final MissedKeys missedKeys;
  final Predecessors predecessors;
  final ChainTree tree;
  final ChainLinker linker;
  public final ReceivedChunks contexts;
  private final TiledLookups tiled;
  private final RequestAdmissions admissions;
  final RecentReads recentReads = new RecentReads();
  private final UnknownChains unknown;
  private final RequestCompletion completion;
  private final long budgetUnits;

  /** Requests that have not been completed, the longest inactive one cold. */
  private final NodeList<ObservedRequest> open = new NodeList<>();

  /** The requests that chunks are read for; null if nobody listens to requests. */
  public @Nullable RequestReads reads;

  RequestListener requests = RequestListener.NONE;

  /** A request of which the last missing object was stored now; null if there is none. */
  private @Nullable ObservedRequest whole;

  /** The weight of the values of running requests. */
  long unpublishedUnits;

  public Chains(
      PolicyPlace place,
      BlockCache cache,
      AccessListeners listeners,
      ValueIndex values,
      PolicyClock time) {
    this.place = place;
    this.cache = cache;
    this.values = values;
    this.listeners = listeners;
    this.time = time;
    missedKeys = new MissedKeys(time);
    predecessors = new Predecessors(cache.capacityBlocks());
    reports = new KeyReports(values, predecessors);
    tree = new ChainTree(cache, values);
    linker = new ChainLinker(values, predecessors, tree);
    contexts = new ReceivedChunks(this);
    tiled = new TiledLookups(this);
    unknown = new UnknownChains(this);
    admissions = new RequestAdmissions(this);
    completion = new RequestCompletion(this);
    budgetUnits = (long) (cache.capacityBlocks() * SHARE);
  }

  public void keyListener(KeyListener listener) {
    reports.listener = listener;
  }

  public void requestListener(RequestListener next) {
    requests = next;
    reads = next == RequestListener.NONE ? null : new RequestReads(this);
  }

  public ObservedRequest stated(
      String id, @Nullable String traceparent, RequestFacts facts, long outputTokens) {
    ObservedRequest request = new ObservedRequest(this, facts, true);
    request.id = id;
    request.traceparent = traceparent;
    request.inputTokens = facts.sequenceLength();
    request.outputTokens = outputTokens;
    return request;
  }

  @Nullable ObservedRequest servedBy(ChainConnection connection) {
    ObservedRequest current = connection.request;
    return current != null && current.chains == this ? current : null;
  }

  /** Ends the request of a connection that is for another partition. No lock may be held. */
  public void enter(ChainConnection connection) {
    if (connection.request != null && connection.request.chains != this) {
      connection.serve(null);
    }
  }

  void locked(Runnable action) {
    place.locked(action);
  }

  /**
   * Records that a key was looked up. After one that is found elsewhere, lookups go on, but those
   * before it are all that was found here. Returns whether the lookup belongs to a request, which
   * is reported as a whole.
   */
  public boolean lookedUp(
      @Nullable ChainConnection by,
      ObjectKey key,
      @Nullable ChainedValue chunk,
      boolean found,
      boolean elsewhere) {
    if (by == null || !by.stated().isEmpty() || !key.isChained()) {
      return false;
    }
    if (!key.standsForAll()) {
      if (key.labels().tiled()) {
        tiled.passed(by, key);
      } else if (!found && !elsewhere) {
        by.missed = key.entryLow();
      }
      return false;
    }
    if (key.labels().tiled()) {
      tiled.lookedUp(by, key, found, elsewhere);
    } else {
      chunkLookedUp(by, key, chunk, found, elsewhere);
    }
    return !missedKeys.mixesPrompts(by);
  }

  private void chunkLookedUp(
      ChainConnection connection,
      ObjectKey key,
      @Nullable ChainedValue chunk,
      boolean found,
      boolean elsewhere) {
    long low = key.entryLow();
    ObservedRequest before = servedBy(connection);
    if (before != null && !before.isServed() && before.lastLow() == low) {
      return;
    }
    ObservedRequest current;
    if (linker.goesOn(before, connection, low, chunk, time.nanos())) {
      current = requireNonNull(before);
    } else {
      current = new ObservedRequest(this, key.labels().facts(), false);
      current.client = missedKeys.client(connection);
      connection.serve(current);
    }
    current.add(low, key.entryHigh());
    current.found += found && current.found == current.reached ? 1 : 0;
    current.missed = !found && !elsewhere;
    current.reached += current.missed ? 0 : 1;
    if (current.found == current.size()) {
      current.hold(cache, chunk);
    }
    if (current.missed) {
      missedKeys.missed(current);
    }
    active(current);
  }

  /** Starts a stated request of whose first keys so many have values here, or on any node. */
  public void begin(ObservedRequest started, List<ObjectKey> keys, int found, int reached) {
    LongOpenHashSet placed = new LongOpenHashSet(keys.size());
    long previous = Predecessors.NONE;
    for (int i = 0; i < keys.size(); i++) {
      ObjectKey key = keys.get(i);
      long low = key.entryLow();
      // A chunk may be named by both of its keys.
      if (placed.add(low)) {
        predecessors.stated(low, previous);
        previous = low;
        started.add(low, key.entryHigh());
        started.found += i < found ? 1 : 0;
        started.reached += i < reached ? 1 : 0;
        // What is elsewhere comes from there, not from the client.
        if (i >= reached && values.at(low) == null) {
          missedKeys.expect(low, started);
        }
      }
    }
    recentReads.begun(started, keys.getFirst().labels());
    begun(started);
  }

  void begun(ObservedRequest started) {
    // Links what is resident, so that the hold keeps all of it.
    List<CacheEntry> path = linker.path(started);
    List<CacheEntry> found = path.subList(0, Math.min(path.size(), started.found));
    int usable = cache.usable(found);
    started.usable = usable < found.size() ? usable : Integer.MAX_VALUE;
    started.lost = found.size() - usable;
    if (started.found > 0) {
      started.hold(cache, values.at(started.low(started.found - 1)));
    }
    active(started);
  }

  /**
   * Ends the lookups of a connection that reads a key; returns whether that is a use of its own:
   * the lookup that found, or leased, a chunk of a chain is its use.
   */
  public boolean read(@Nullable ChainConnection by, ObjectKey key, boolean leased) {
    if (by == null || (by.stated().isEmpty() && !key.isChained())) {
      return true;
    }
    return !isFoundBefore(by, key) && (!leased || missedKeys.mixesPrompts(by));
  }

  /** Ends the lookups of a connection; returns whether one of them found a key. */
  private boolean isFoundBefore(ChainConnection connection, ObjectKey key) {
    boolean learns = key.labels().learnsGroups();
    if (learns) {
      tiled.lookupsAreOver(connection, key.entryLow());
    }
    // Of groups that need only some chunks, not all that were found are read.
    if (connection.client != null && (!key.labels().isHybrid() || key.standsForAll())) {
      tiled.read(connection, key);
    }
    if (learns) {
      recentReads.read(key);
    }
    ObservedRequest current = servedBy(connection);
    if (current == null) {
      return false;
    }
    current.served = true;
    if (current.list() != null) {
      active(current);
    }
    boolean found = current.hasFound(key.entryLow());
    connection.reads |= found;
    return found;
  }

  /** Returns the request that a value is stored for, unpublished; null if there is none. */
  public @Nullable ObservedRequest storing(
      @Nullable ChainConnection connection, ChainedValue value) {
    ObservedRequest of = storedFor(connection, value);
    if (of != null && connection != null) {
      of.evictions += connection.evictions;
      connection.evictions = 0;
    }
    return of;
  }

  private @Nullable ObservedRequest storedFor(
      @Nullable ChainConnection connection, ChainedValue value) {
    if (value.key.isAttachment()) {
      return null;
    }
    if (connection != null) {
      tiled.stored(connection, value.key.low());
    }
    ObservedRequest expecting = missedKeys.expecting(connection, value.key);
    if (expecting != null && expecting.tiled != null && connection != null) {
      expecting.tiled.stored(connection, value.key, time.nanos());
    }
    if (expecting != null
        || connection == null
        || !connection.stated().isEmpty()
        || !value.key.isChained()
        || missedKeys.mixesPrompts(connection)) {
      return expecting;
    }
    return missedKeys.storing(connection, servedBy(connection), value);
  }

  /** Records how long a value was stored, if a request of a known connection has stored it. */
  public void stored(@Nullable ChainConnection by, ChainedValue value, long nanos) {
    if (by == null) {
      return;
    }
    if (value.request != null && requests != RequestListener.NONE) {
      value.request.hasStored(nanos, by.allocatingNanos);
    }
    by.allocatingNanos = -1;
  }

  /** Returns the attributes of a stated request that a value is stored for, or of its key. */
  public RequestFacts storingFor(ChainedValue value) {
    ObservedRequest stated = missedKeys.expectedBy(value.key);
    return stated == null ? value.key.labels().facts() : stated.facts;
  }

  /**
   * Returns whether the policy has rejected a chunk of a request, or one before it. The request is
   * null if the chunk is not expected, or not any more.
   */
  public boolean isRejected(ChainedValue value, long units, @Nullable ObservedRequest by) {
    ObservedRequest of = by == null ? missedKeys.rejectedOf(value.key) : by;
    if (of == null || (by != null && !admissions.rejects(value, by))) {
      return false;
    }
    cache.rejected(units);
    if (of.list() != null) {
      active(of);
    }
    stored(value.key, of);
    return true;
  }

  private void stored(ObjectKey key, ObservedRequest by) {
    if (by.isTiled() && key.labels().isAwaited() && --by.awaited == 0) {
      whole = by;
    }
  }

  /** Ends a request whose keys are known, if the last of its missing objects was stored. */
  public void endWhole() {
    ObservedRequest last = whole;
    whole = null;
    if (last != null) {
      end(last);
    }
  }

  public void inserted(ChainedValue value, @Nullable ObservedRequest by) {
    if (!tree.orphans.isEmpty()) {
      tree.inserted(value);
    }
    value.request = by;
    if (reports.listener != KeyListener.NONE) {
      reports.stored(value);
    }
    if (by == null) {
      if (predecessors.seen(value.key.low()) > 0) {
        linker.adopt(value);
      }
      return;
    }
    by.made.add(value);
    by.storedChunks++;
    active(by);
    unpublishedUnits += value.weight();
    if (cache.decidesOnCached()) {
      admissions.decideOn(value, by);
    }
    stored(value.key, by);
    if (unpublishedUnits > budgetUnits) {
      // A policy that decides on admission needs requests as a whole.
      completeSome(cache.decidesOnCached() ? by : null);
    }
  }

  public void joined(@Nullable ChainConnection by, ChainedValue chunk, ObjectKey key) {
    if (chunk.request != null && key.labels().isHybrid()) {
      active(chunk.request);
      if (chunk.request.tiled != null && by != null) {
        chunk.request.tiled.stored(by, key, time.nanos());
      }
      stored(key, chunk.request);
    }
  }

  /**
   * Completes all learned requests but one. Then stated ones, whose clients still have to report
   * their answers: the longest inactive first, until half the budget is free.
   */
  private void completeSome(@Nullable ObservedRequest except) {
    completeIf(next -> !next.stated && next != except);
    completeIf(
        next -> unpublishedUnits > budgetUnits / 2 && !next.made.isEmpty() && next != except);
  }

  private void completeIf(Predicate<ObservedRequest> wanted) {
    for (ObservedRequest next = open.cold(); next != null; ) {
      ObservedRequest hotter = open.hotter(next);
      if (wanted.test(next)) {
        complete(next, false);
      }
      next = hotter;
    }
  }

  public void reweighed(ChainedValue value, long more) {
    unpublishedUnits += value.request == null ? 0 : more;
  }

  /** Ends a request whose connection serves another one, or whose client states its end. */
  void end(ObservedRequest ended) {
    complete(ended, true);
    if (ended.stated
        && !ended.over
        && (ended.outputTokens != ended.reportedTokens
            || (ended.reportedFacts != null && !ended.facts.equals(ended.reportedFacts)))) {
      completion.answered(ended);
    }
    ended.over = ended.stated;
    ended.reportTo(requests, time.nanos());
    if (ended.stated || ended.isTiled()) {
      missedKeys.ended(ended);
    }
  }

  /** Completes the requests that have been inactive for some time. */
  public void sweep() {
    tiled.sweep();
    unknown.warn();
    long now = time.nanos();
    List<ObservedRequest> idle = new ArrayList<>();
    ObservedRequest next = open.cold();
    while (next != null && now - next.lastNanos > ObservedRequest.IDLE_NANOS) {
      if (now - next.lastNanos > next.idleNanos()) {
        idle.add(next);
      }
      next = open.hotter(next);
    }
    idle.forEach(this::end);
  }

  public void completeAll() {
    completeIf(any -> true);
  }

  /** Prepares a value for its removal, whatever is before and behind it. */
  public void removing(ChainedValue value) {
    if (value.request != null) {
      complete(value.request, false);
    }
    ObservedRequest next = open.cold();
    while (value.holds > 0 && next != null) {
      if (next.held == value) {
        next.hold(cache, null);
      }
      next = open.hotter(next);
    }
    tree.orphanChildren(value);
  }

  public void joins(ChainedValue chunk, ObjectKey key) {
    reports.joined(chunk, key);
  }

  public void left(ChainedValue chunk, ObjectKey key, RemovalCause cause) {
    reports.left(chunk, key, cause);
  }

  public void removed(ChainedValue value, RemovalCause cause) {
    tree.removed(value);
    reports.removed(value, cause);
  }

  public ChainStats stats() {
    return completion.stats(tree, unknown.count());
  }

  /** Returns how many chunks were found and not usable, because objects of others were missing. */
  public long lostHits() {
    return completion.lostHits();
  }

  private void active(ObservedRequest current) {
    current.lastNanos = time.nanos();
    current.firstNanos = current.firstNanos == 0 ? current.lastNanos : current.firstNanos;
    if (current.list() != null) {
      open.moveToHot(current);
    } else {
      open.addHot(current);
    }
  }

  /** Gives the cache what a request has used and made so far: it was inactive, or is over. */
  private void complete(ObservedRequest ended, boolean over) {
    if (ended.list() != null) {
      open.remove(ended);
      long published = completion.complete(ended, over);
      unpublishedUnits -= published;
    }
  }
}
