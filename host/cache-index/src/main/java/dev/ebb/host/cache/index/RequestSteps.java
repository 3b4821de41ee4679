package dev.ebb.host.cache.index;

import dev.ebb.spi.Demand;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The three steps of a request: match and pin, admit and pin, publish and release. */
public final class RequestSteps {

  /** Frees blocks in the order of the active policy. */
  @FunctionalInterface
  public interface Evictor {

    /**
     * Frees so many blocks, if so many can be evicted. Returns the blocks freed. The newcomer is
     * what the space is for, if the policy may decide against it.
     */
    long evict(
        long blocks,
        Demand.Reason reason,
        RequestFacts asker,
        @Nullable AdmissionCandidate newcomer);
  }

  private final CacheState state;
  private final EventStream events;
  private final PrefixIndex index;
  private final Evictor evictor;
  private final GroupSteps groups;
  private long notAdmitted;

  public RequestSteps(CacheState state, Evictor evictor) {
    this.state = state;
    this.evictor = evictor;
    events = state.events;
    index = state.index;
    groups = new GroupSteps(state);
  }

  public long notAdmitted() {
    return notAdmitted;
  }

  public int begin(CacheRequest request) {
    int matched = 0;
    request.madeBefore = state.made();
    CacheEntry[] path = request.path;
    int blocks = request.blocks();
    while (matched < blocks) {
      CacheEntry entry = index.find(request.keyLow(matched), request.keyHigh(matched));
      if (entry == null) {
        break;
      }
      if (!entry.filled) {
        request.madeBefore = CacheRequest.UNKNOWN;
        break;
      }
      state.hold(entry);
      path[matched++] = entry;
    }
    request.held = matched;
    request.resident = matched;
    request.matched = request.groups == null ? matched : groups.begin(request, matched);
    request.running = true;
    for (int i = request.held; i < blocks; i++) {
      state.ghosts.onMissed(request.keyLow(i));
    }
    if (events.requestsWanted()) {
      events.emit(EventBatch.Kind.BEGAN, request);
    }
    return request.matched;
  }

  public void ended(CacheRequest request, RequestFacts known) {
    if (!request.facts().equals(known)) {
      settleStart();
      request.ended(known);
    }
  }

  /** Lets those that receive the start of a request see it as it was then. */
  private void settleStart() {
    if (events.requestsWanted()) {
      events.settle();
    }
  }

  public void extend(CacheRequest request, long keyLow, long keyHigh) {
    settleStart();
    request.add(keyLow, keyHigh);
    request.madeBefore = CacheRequest.UNKNOWN;
  }

  public int admit(CacheRequest request, int limit) {
    int blocks = Math.max(request.held, Objects.checkIndex(limit, request.blocks() + 1));
    request.end = blocks;
    long missing = missing(request, blocks);
    long shortage = state.missing(missing);
    boolean rejected = false;
    if (shortage > 0) {
      rejected = evict(request, blocks, shortage, missing);
      // While it waited for room, others may have published the missing blocks.
      missing = missing(request, blocks);
    }
    if (request.groups != null) {
      groups.addNeeded(request);
    }
    // Nothing is missing if another request makes the next block.
    while (missing > 0 && request.held < blocks && state.missing(weight(request)) <= 0) {
      make(request, request.held);
    }
    if (request.groups != null) {
      groups.addRest(request);
    }
    leftOut(blocks - request.held, rejected);
    return request.admitted();
  }

  public void leftOut(long blocks, boolean rejected) {
    if (rejected) {
      state.counters.rejected += blocks;
    } else {
      notAdmitted += blocks;
    }
  }

  private boolean evict(CacheRequest request, int blocks, long shortage, long missing) {
    AdmissionCandidate newcomer =
        missing > 0
            ? AdmissionCandidate.prefix(
                request, (int) Math.max(request.held, blocks - shortage / request.unit()))
            : null;
    evictor.evict(shortage, Demand.Reason.ALLOCATION, request.facts(), newcomer);
    return newcomer != null && newcomer.rejected;
  }

  /** Returns how many blocks the request has to make itself, after adopting what it finds. */
  private long missing(CacheRequest request, int blocks) {
    // Another running request is making the next block: it will fill it, not this one. A
    // block that is not resident has no resident block behind it, so only the first one has to
    // be looked up.
    if (adopt(request, blocks) != null) {
      return 0;
    }
    return request.groups == null ? blocks - request.held : groups.missing(request, blocks);
  }

  /** Returns the room that the block needs which a request makes next. */
  private int weight(CacheRequest request) {
    return request.groups == null ? 1 : groups.room(request, request.held);
  }

  private void make(CacheRequest request, int depth) {
    CacheEntry parent = depth == 0 ? null : request.path[depth - 1];
    CacheEntry entry = state.slots.take();
    entry.reset(request.keyLow(depth), request.keyHigh(depth), parent, depth, request.facts());
    request.path[depth] = entry;
    if (request.groups != null) {
      groups.make(request, depth);
    }
    if (parent != null) {
      state.join(parent);
    }
    state.enter(entry);
    state.hold(entry);
    request.held++;
  }

  /** Pins the blocks filled since; returns the first that is not, null if it is not resident. */
  private @Nullable CacheEntry adopt(CacheRequest request, int blocks) {
    if (request.madeBefore == state.made()) {
      return null;
    }
    while (request.held < blocks) {
      int depth = request.held;
      CacheEntry entry = index.find(request.keyLow(depth), request.keyHigh(depth));
      if (entry == null || !entry.filled) {
        return entry;
      }
      state.hold(entry);
      request.path[depth] = entry;
      request.held++;
    }
    return null;
  }

  public void filled(CacheRequest request) {
    for (int i = request.matched; i < request.held; i++) {
      request.path[i].filled = true;
    }
  }

  public void complete(
      CacheRequest request, List<CacheEntry> path, int resident, int matched, int from) {
    request.matched = matched;
    request.held = path.size();
    path.toArray(request.path);
    request.resident = Math.max(matched, Math.min(resident, path.size()));
    // Its owner has reported the first miss.
    for (int i = matched + 1; i < request.blocks(); i++) {
      state.ghosts.onMissed(request.keyLow(i));
    }
    if (events.requestsWanted()) {
      events.emit(EventBatch.Kind.BEGAN, request);
    }
    List<CacheEntry> made =
        path.subList(from, path.size()).stream().filter(entry -> !entry.announced).toList();
    touch(request, from);
    if (events.requestsWanted()) {
      events.emit(EventBatch.Kind.ENDED, request);
    }
    groups.complete(request);
    made.forEach(state::release);
    if (events.requestsWanted()) {
      events.settle();
    }
  }

  /** Returns the usable prefix of chunks that are objects, front to back. */
  public int usable(List<CacheEntry> path) {
    return groups.usable(path);
  }

  public void finish(CacheRequest request) {
    CacheEntry[] path = request.path;
    long firstTick = state.tick() + 1;
    touch(request, 0);
    if (events.requestsWanted()) {
      events.emit(EventBatch.Kind.ENDED, request);
    }
    for (int i = request.held - 1; i >= 0; i--) {
      state.release(path[i]);
    }
    if (request.groups != null) {
      groups.finish(request);
      // It may have removed chunks, whose slots are used again.
      events.settle();
    }
    request.running = false;
    if (state.decidesOnCached) {
      state.admission.add(request, firstTick);
    }
    // A policy that overrides began() or ended() receives requests while they last. Another one
    // gets many requests together, always before it is asked for a victim.
    if (events.requestsWanted()) {
      events.settle();
    }
  }

  /**
   * Uses the request's blocks, deepest first. Publishes those that no other request has published,
   * which can have ended before the one that filled them.
   */
  private void touch(CacheRequest request, int from) {
    CacheEntry[] path = request.path;
    RequestFacts facts = request.facts();
    Retention retained = facts.end().retention();
    long now = state.clock.nanos();
    int last = request.blocks() - 1;
    for (int i = request.held - 1; i >= from; i--) {
      CacheEntry entry = path[i];
      entry.lastOfRequest = i == last;
      if (entry.announced) {
        state.use(entry, facts, retained, now);
      } else {
        entry.usedBy(facts, retained, now);
        state.publish(entry, now);
      }
    }
  }
}
