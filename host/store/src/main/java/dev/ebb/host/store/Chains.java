package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheEntry;
import dev.ebb.host.cache.CacheRequest;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.tile.LookupBatch;
import dev.ebb.spi.NodeList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Learns the chains of prompts from what engines look up, read and store, and gives the cache
 * requests of whole chains. What it assumes wrongly costs hits, never a wrong value. Guarded by the
 * partition's lock.
 */
final class Chains {

  /** The share of a partition that values of requests which are still running may take. */
  private static final double SHARE = 0.25;

  /** The most keys that are added in front of those that a client looked up. */
  private static final int MOST_IMPLIED = 1 << 12;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The same for a request that stores its missing chunks when they have been computed. */
  private static final long TILED_IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The same for a request whose client states its end, which comes after the answer. */
  private static final long STATED_IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final BlockCache cache;
  private final ValueTable values;
  private final AccessListeners listeners;
  private final KeyReports reports;
  private final TimeSource time;
  private final MissedKeys missedKeys;
  private final Predecessors predecessors;
  private final ChainTree tree;
  private final ChainLinker linker;
  private final TiledLookups tiled;
  private final RequestAdmissions admissions;
  private final UnknownChains unknown;
  private final CacheRequest request = new CacheRequest();
  private final long budgetUnits;

  /** Requests that have not been completed, the longest inactive one cold. */
  private final NodeList<ObservedRequest> open = new NodeList<>();

  /** The weight of the values of running requests. */
  long unpublishedUnits;

  private long requests;
  private long lookups;
  private long hits;

  Chains(
      BlockCache cache,
      ValueTable values,
      AccessListeners listeners,
      KeyReports reports,
      TimeSource time,
      long keys) {
    this.cache = cache;
    this.values = values;
    this.listeners = listeners;
    this.reports = reports;
    this.time = time;
    missedKeys = new MissedKeys(time);
    predecessors = new Predecessors(keys);
    tree = new ChainTree(cache, values);
    linker = new ChainLinker(values, predecessors, tree);
    tiled = new TiledLookups(time, missedKeys, predecessors, this::imply, this::started);
    unknown = new UnknownChains(values, predecessors, time);
    admissions = new RequestAdmissions(cache, weight -> unpublishedUnits -= weight);
    budgetUnits = (long) (cache.capacityBlocks() * SHARE);
  }

  /** Returns whether the keys of a connection's client are taken as objects of their own. */
  boolean mixesPrompts(StoreConnection connection) {
    ChainClient client = connection.client;
    return client != null && client.isOf(missedKeys) && client.known().mixesPrompts();
  }

  /**
   * Records that a connection looked up the key of a chunk.
   *
   * @param chunk the value that has the entry of the chunk; null if there is none
   * @param found whether it has a value here
   * @param elsewhere whether it has one on another node: the lookups go on after it, but those
   *     before it are all that was found here
   */
  void lookedUp(
      StorePartition partition,
      StoreConnection connection,
      ObjectKey key,
      @Nullable StoredValue chunk,
      boolean found,
      boolean elsewhere) {
    if (key.labels().tiled()) {
      tiled.lookedUp(partition, connection, key, found);
      return;
    }
    long low = key.entryLow();
    ObservedRequest before = connection.request(partition);
    if (before != null && !before.isServed() && before.lastLow() == low) {
      return;
    }
    ObservedRequest current;
    if (goesOn(before, connection, low, chunk)) {
      current = requireNonNull(before);
    } else {
      current = new ObservedRequest(partition, key.labels().facts(), false);
      current.client = missedKeys.client(connection);
      connection.serve(current);
    }
    current.add(low, key.entryHigh());
    current.found += found && current.found == current.reached ? 1 : 0;
    current.missed = !found && !elsewhere;
    current.reached += current.missed ? 0 : 1;
    if (current.found == current.size()) {
      hold(current, chunk);
    }
    if (current.missed) {
      missedKeys.missed(current);
    }
    active(current);
  }

  /** Records that a connection looked up a key of another rank than the one that stands for all. */
  void passed(StorePartition partition, StoreConnection connection) {
    tiled.passed(partition, connection);
  }

  /**
   * Adds the resident keys before a key to a request: an engine does not look up the chunks that it
   * has in its own memory, but it uses them.
   */
  private void imply(ObservedRequest request, LookupBatch lookups, long first) {
    List<StoredValue> before = new ArrayList<>();
    long low = first;
    while (before.size() < MOST_IMPLIED && predecessors.isSure(low)) {
      low = predecessors.before(low);
      StoredValue value = low == Predecessors.NONE ? null : values.at(low);
      if (value == null || before.contains(value) || lookups.contains(low)) {
        break;
      }
      before.add(value);
    }
    before.reversed().forEach(value -> request.add(value.key.low(), value.key.high()));
  }

  /** Starts a request whose keys were looked up at once: their order is known by now. */
  private void started(ObservedRequest request) {
    for (int i = 0; i < request.size(); i++) {
      long low = request.low(i);
      if (values.at(low) == null && missedKeys.expect(low, request)) {
        request.awaited++;
      }
    }
    begun(request);
    if (request.awaited == 0) {
      end(request);
    }
  }

  /**
   * Returns whether a lookup is of the same request as the one before it on its connection, after
   * learning what precedes its key.
   */
  private boolean goesOn(
      @Nullable ObservedRequest current,
      StoreConnection connection,
      long low,
      @Nullable StoredValue chunk) {
    if (current == null || current.missed || current.served || low == current.low(0)) {
      predecessors.saw(low, Predecessors.NONE);
      return false;
    }
    long gap = time.nanos() - current.lastNanos;
    // A read by others ends the lookups of a client that reads on other connections, but not those
    // of one that reads itself: prompts share chunks.
    boolean over = connection.isPause(gap) || (current.isServed() && !connection.reads);
    boolean next = isNext(low, chunk, current);
    boolean goesOn = next || (!over && predecessors.seen(low) == 0);
    if (!next || !over) {
      // A pause before the expected key proves nothing.
      predecessors.saw(low, over ? Predecessors.NONE : current.lastLow());
    }
    if (goesOn) {
      current.resume();
      connection.looksUpEvery(gap);
    }
    return goesOn;
  }

  /** Returns whether a key is known, or assumed, to follow the last one of a request. */
  private boolean isNext(long low, @Nullable StoredValue value, ObservedRequest current) {
    if (predecessors.seen(low) > 0) {
      return predecessors.before(low) == current.lastLow();
    }
    StoredValue last = values.at(current.lastLow());
    return value != null
        && last != null
        && value.group != null
        && (value.parent == last || value.group == last.group);
  }

  /** Pins the last value that a request found, and all before it, in place of the one so far. */
  private void hold(ObservedRequest current, @Nullable StoredValue next) {
    StoredValue held = current.held;
    // The next one first: then what is before both stays pinned.
    if (next != null) {
      next.holds++;
      cache.pin(requireNonNull(next.entry));
    }
    current.hold(next);
    if (held != null) {
      held.holds--;
      cache.unpin(requireNonNull(held.entry));
    }
  }

  /**
   * Starts a request whose client states its keys.
   *
   * @param found how many of the first keys have values here
   * @param reached how many of them have values here or on other nodes
   */
  void begin(ObservedRequest started, List<ObjectKey> keys, int found, int reached) {
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
        if (i >= found && values.at(low) == null) {
          missedKeys.expect(low, started);
        }
      }
    }
    begun(started);
  }

  private void begun(ObservedRequest started) {
    // Links what is resident, so that the hold keeps all of it.
    linker.path(started);
    if (started.found > 0) {
      hold(started, values.at(started.low(started.found - 1)));
    }
    active(started);
  }

  /**
   * Records that a connection read a value: its lookups are over.
   *
   * @return whether the value counts as used by a request, because a lookup of it found the key
   */
  boolean read(StorePartition partition, StoreConnection connection, ObjectKey key) {
    if (connection.client != null) {
      tiled.read(connection, key);
    }
    ObservedRequest current = connection.request(partition);
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

  /**
   * Returns the request that a client stores a value for, to be inserted unpublished; null if there
   * is none.
   */
  @Nullable ObservedRequest storing(
      StorePartition partition, @Nullable StoreConnection connection, StoredValue value) {
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
        || connection.states()
        || !value.key.isChained()
        || mixesPrompts(connection)) {
      return expecting;
    }
    return missedKeys.storing(connection, connection.request(partition), value);
  }

  /**
   * Returns the attributes of the stated request that a value is stored for, or those of its key.
   */
  RequestFacts storingFor(StoredValue value) {
    ObservedRequest stated = missedKeys.expectedBy(value.key);
    return stated == null ? value.key.labels().facts() : stated.facts;
  }

  /** Returns whether the policy has rejected a value of a request, or one before it. */
  boolean isRejected(StoredValue value, ObservedRequest by) {
    if (!admissions.rejects(value, by)) {
      return false;
    }
    active(by);
    if (by.isTiled() && --by.awaited == 0) {
      end(by);
    }
    return true;
  }

  /** Records that a value was inserted, for a request or for none. */
  void inserted(StoredValue value, @Nullable ObservedRequest by) {
    tree.inserted(value);
    value.request = by;
    long low = value.key.low();
    int seen = predecessors.seen(low);
    if (reports.listener != KeyListener.NONE) {
      reports.stored(
          value, seen == Predecessors.CERTAIN ? predecessors.before(low) : Predecessors.NONE);
    }
    if (by == null) {
      if (seen > 0) {
        linker.adopt(value);
      }
      return;
    }
    by.made.add(value);
    active(by);
    unpublishedUnits += value.weight();
    if (cache.decidesOnCached()) {
      admissions.decideOn(value, by);
    }
    if (by.isTiled() && --by.awaited == 0) {
      end(by);
    } else if (unpublishedUnits > budgetUnits) {
      // A policy that decides on admission needs requests as a whole.
      completeSome(cache.decidesOnCached() ? by : null);
    }
  }

  /**
   * Completes all learned requests. Then stated ones, whose clients still have to report their
   * answers: the longest inactive first, until half the budget is free.
   *
   * @param except one that goes on; null if there is none
   */
  private void completeSome(@Nullable ObservedRequest except) {
    for (ObservedRequest next = open.cold(); next != null; ) {
      ObservedRequest hotter = open.hotter(next);
      if (!next.stated && next != except) {
        complete(next);
      }
      next = hotter;
    }
    for (ObservedRequest next = open.cold(); next != null && unpublishedUnits > budgetUnits / 2; ) {
      ObservedRequest hotter = open.hotter(next);
      if (!next.made.isEmpty() && next != except) {
        complete(next);
      }
      next = hotter;
    }
  }

  /** Records that a value weighs more, or less, than before. */
  void reweighed(StoredValue value, long more) {
    unpublishedUnits += value.request == null ? 0 : more;
  }

  /** Ends a request whose connection serves another one, or whose client states its end. */
  void end(ObservedRequest ended) {
    complete(ended);
    if (ended.stated
        && !ended.over
        && (ended.outputTokens != ended.reportedTokens
            || (ended.reportedFacts != null && !ended.facts.equals(ended.reportedFacts)))) {
      answered(ended);
    }
    ended.over = ended.stated;
    if (ended.stated || ended.isTiled()) {
      missedKeys.ended(ended);
    }
  }

  /** Completes the requests that have been inactive for some time. */
  void sweep() {
    tiled.sweep();
    unknown.warn();
    long now = time.nanos();
    List<ObservedRequest> idle = new ArrayList<>();
    ObservedRequest next = open.cold();
    while (next != null && now - next.lastNanos > IDLE_NANOS) {
      if (now - next.lastNanos > idleNanos(next)) {
        idle.add(next);
      }
      next = open.hotter(next);
    }
    idle.forEach(this::end);
  }

  private static long idleNanos(ObservedRequest request) {
    if (request.stated) {
      return STATED_IDLE_NANOS;
    }
    return request.isTiled() ? TILED_IDLE_NANOS : IDLE_NANOS;
  }

  void completeAll() {
    ObservedRequest first = open.cold();
    while (first != null) {
      complete(first);
      first = open.cold();
    }
  }

  /** Prepares a value for its removal, whatever is before and behind it. */
  void removing(StoredValue value) {
    if (value.request != null) {
      complete(value.request);
    }
    ObservedRequest next = open.cold();
    while (value.holds > 0 && next != null) {
      if (next.held == value) {
        hold(next, null);
      }
      next = open.hotter(next);
    }
    tree.orphanChildren(value);
  }

  void removed(StoredValue value) {
    tree.removed(value);
  }

  ChainStats stats() {
    return new ChainStats(
        requests,
        lookups,
        hits,
        tree.linked(),
        tree.unreachable(),
        unknown.count(),
        predecessors.size(),
        predecessors.replaced());
  }

  private void active(ObservedRequest current) {
    current.lastNanos = time.nanos();
    if (current.list() != null) {
      open.moveToHot(current);
    } else {
      open.addHot(current);
    }
  }

  /** Gives the cache what a request has used and made so far: it was inactive, or is over. */
  private void complete(ObservedRequest ended) {
    if (ended.list() == null) {
      return;
    }
    open.remove(ended);
    reports.completed(ended);
    int from = ended.completed;
    List<StoredValue> made = List.copyOf(ended.made);
    ended.made.clear();
    if (ended.tiled != null && from == 0) {
      ended.tiled.reorder(ended, predecessors);
      if (!predecessors.isSure(ended.low(0))) {
        predecessors.saw(ended.low(0), Predecessors.NONE);
      }
    }
    linker.order(ended, made);
    ended.addStored();
    ended.ordered = Integer.MAX_VALUE;
    List<CacheEntry> path = linker.path(ended);
    if (ended.tiled != null) {
      ended.ordered = ended.tiled.ordered(ended, predecessors);
    }
    count(ended, made.size() + ended.rejected);
    int reported = ended.reported;
    report(ended, from);
    if (path.size() > from || ended.rejected > 0) {
      int used = Math.min(from, path.size());
      int matched = from == 0 ? Math.min(ended.found, path.size()) : used;
      complete(ended, ended.size(), path, matched, used, reported);
    }
    ended.rejected = 0;
    for (StoredValue value : made) {
      CacheEntry entry = requireNonNull(value.entry);
      value.request = null;
      unpublishedUnits -= value.weight();
      if (!entry.published()) {
        cache.publish(entry);
        linker.adopt(value);
      }
    }
    for (int i = Math.max(from, path.size()); i < ended.reached; i++) {
      StoredValue value = values.at(ended.low(i));
      if (value != null && value.request == null) {
        cache.access(requireNonNull(value.entry), ended.facts);
      }
    }
    // A key that was missing may be stored after this.
    ended.completed = Math.max(path.size(), ended.reached);
    hold(ended, null);
  }

  /** Reports a request to the access listeners, or what has been added to it since. */
  private void report(ObservedRequest ended, int from) {
    int counted = ended.reported;
    ended.reported = ended.size();
    if (listeners.isEmpty()) {
      return;
    }
    int[] weights = new int[ended.size()];
    for (int i = 0; i < weights.length; i++) {
      StoredValue value = values.at(ended.low(i));
      weights[i] = value == null ? 0 : value.weight();
    }
    CacheRequest report =
        CacheRequest.report(ended.facts, ended.keys.toLongArray(), weights, ended.found);
    report.answered(ended.outputTokens);
    report.ordered(ended.ordered);
    report.part(ended.serial, counted, from);
    listeners.began(report);
  }

  /** Reports the answer of a request whose values the policy has received before its end. */
  private void answered(ObservedRequest ended) {
    List<CacheEntry> path = linker.path(ended);
    int blocks = path.size();
    if (blocks > 0) {
      report(ended, ended.size());
      complete(ended, blocks, path, blocks, blocks, blocks);
    }
  }

  private void complete(
      ObservedRequest ended,
      int blocks,
      List<CacheEntry> path,
      int matched,
      int from,
      int reported) {
    request.reset(ended.facts, -1);
    request.answered(ended.outputTokens);
    ended.reportedTokens = ended.outputTokens;
    ended.reportedFacts = ended.facts;
    for (int i = 0; i < blocks; i++) {
      request.add(ended.low(i), ended.high(i));
    }
    request.ordered(ended.ordered);
    request.part(ended.serial, reported, from);
    cache.complete(request, path, matched, from);
  }

  private void count(ObservedRequest ended, int made) {
    if (!ended.counted) {
      ended.counted = true;
      requests++;
      hits += ended.found - ended.implied;
      lookups += ended.stated ? ended.size() : ended.reached - ended.implied;
    }
    lookups += ended.stated ? 0 : made;
  }
}
