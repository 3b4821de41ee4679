package dev.ebb.testkit;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Origin;
import dev.ebb.spi.PartChoice;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The cache of the model host: a naive prefix tree with pins and the leaf rule. */
final class ModelCache {

  private static final int NOT_OPTIONAL = -1;

  private final Map<Long, ModelBlock> residents = new HashMap<>();
  private final List<Long> answers = new ArrayList<>();
  private final TestDemand demand = TestDemand.of(1);
  private final PartChoice choice = new PartChoice();

  private Referee referee;
  private long capacity;
  private long used;

  /** Whether an entry of several objects was ever resident; only these can be thinned. */
  private boolean parted;

  private long insertions;
  private long pins;
  private long refusals;
  private long evictions;
  private long thinned;
  private long questions;

  ModelCache(long capacity, Referee referee) {
    this.capacity = capacity;
    this.referee = referee;
  }

  Referee referee() {
    return referee;
  }

  long capacity() {
    return capacity;
  }

  boolean isEmpty() {
    return residents.isEmpty();
  }

  /** Returns every answer of the policy so far: fingerprints, and 0 for null. */
  List<Long> answers() {
    return answers;
  }

  long insertions() {
    return insertions;
  }

  long pins() {
    return pins;
  }

  long refusals() {
    return refusals;
  }

  long evictions() {
    return evictions;
  }

  long thinned() {
    return thinned;
  }

  ModelBlock block(Held held) {
    ModelBlock block = residents.get(held.entry.fingerprint());
    if (block == null) {
      throw new IllegalStateException("not resident: " + held);
    }
    return block;
  }

  List<ModelBlock> matched(TestRequest request) {
    List<ModelBlock> path = new ArrayList<>();
    for (int i = 0; i < request.blocks(); i++) {
      ModelBlock block = residents.get(request.fingerprint(i));
      if (block == null) {
        break;
      }
      path.add(block);
    }
    return path;
  }

  /** Returns a block and all that builds on it, deepest first. */
  List<ModelBlock> subtree(ModelBlock root) {
    return residents.values().stream()
        .filter(block -> block.under(root))
        .sorted(Comparator.comparingInt((ModelBlock b) -> b.entry.depth()).reversed())
        .toList();
  }

  boolean hasRoom(long blocks) {
    return used + blocks <= capacity;
  }

  /** Makes a block resident if there is room; the policy learns of it by {@link #use}. */
  boolean admit(ModelBlock block) {
    if (used + block.entry.blocks() > capacity) {
      return false;
    }
    if (block.parent != null) {
      block.parent.children++;
      TestEntry parent = block.parent.entry;
      parent.childrenSeen(parent.childrenSeen() + 1);
    }
    used += block.entry.blocks();
    parted |= block.entry.groups() > 1;
    residents.put(block.entry.fingerprint(), block);
    return true;
  }

  void use(ModelBlock block) {
    if (block.entry.held == null) {
      referee.insert(block.entry);
      insertions++;
    } else {
      referee.access(block.entry.held);
    }
  }

  void pin(ModelBlock block) {
    block.pin(1);
    pins++;
  }

  void unpin(ModelBlock block) {
    block.pin(-1);
    releaseIfFree(block);
  }

  /** Evicts until the given number of blocks would fit, or no entry can be evicted. */
  void evict(long room, Demand.Reason reason, TestRequest by) {
    evict(room, reason, by, NOT_OPTIONAL);
  }

  /**
   * Evicts until there is room for the missed blocks of a request, no entry can be evicted, or the
   * policy keeps an entry rather than admitting a block.
   *
   * @param room blocks that the request adds
   * @param first the first block for which there is no room
   */
  void evictFor(TestRequest request, long room, int first) {
    evict(room, Demand.Reason.ALLOCATION, request, first);
  }

  private void evict(long room, Demand.Reason reason, TestRequest by, int first) {
    demand.reason(reason).by(by.tenant(), by.priority());
    int index = first;
    while (used > 0 && used + room > capacity) {
      demand.blocks(used + room - capacity);
      if (thin()) {
        continue;
      }
      Held offered = referee.offer(demand, held -> block(held).evictable());
      answers.add(offered == null ? 0 : offered.entry.fingerprint());
      if (offered == null) {
        return;
      }
      ModelBlock block = block(offered);
      if (block.evictable()) {
        if (first != NOT_OPTIONAL
            && !referee.admits(by, Math.min(index++, by.blocks() - 1), offered)) {
          return;
        }
        drop(block, ++evictions % 8 == 0 ? RemovalCause.DEMOTED : RemovalCause.EVICTED);
      } else {
        refusals++;
        referee.refuse(offered);
      }
    }
  }

  /**
   * Evicts an object of a chunk, which stays if it can be used without. Every second time the host
   * proposes one.
   */
  private boolean thin() {
    Held able = parted ? firstWithEvictablePart() : null;
    if (able == null) {
      return false;
    }
    Held proposed = ++questions % 2 == 0 ? able : null;
    choice.none();
    if (proposed != null) {
      choice.set(proposed.entry, proposed.entry.firstEvictable());
    }
    Held chosen = referee.choosePart(demand, proposed, choice);
    if (chosen == null) {
      return false;
    }
    answers.add(31 * chosen.entry.fingerprint() + choice.group());
    thinned++;
    int before = chosen.entry.blocks();
    chosen.entry.thin(choice.group());
    used -= before - chosen.entry.blocks();
    ModelBlock block = block(chosen);
    if (block.evictable()) {
      // No prompt can go on from a leaf without its state.
      drop(block, RemovalCause.EVICTED);
    }
    return true;
  }

  private @Nullable Held firstWithEvictablePart() {
    // Not a stream: each eviction asks all entries.
    for (Held held : referee.held()) {
      if (held.entry.firstEvictable() >= 0) {
        return held;
      }
    }
    return null;
  }

  /** Evicts an entry in place of one that was just inserted, or removes that one. */
  void decideOn(ModelBlock newcomer, TestRequest by) {
    demand.reason(Demand.Reason.ALLOCATION).by(by.tenant(), by.priority()).blocks(1);
    Held offered = referee.offer(demand, held -> block(held).evictable());
    answers.add(offered == null ? 0 : offered.entry.fingerprint());
    if (offered == null) {
      return;
    }
    ModelBlock block = block(offered);
    if (!block.evictable()) {
      refusals++;
      referee.refuse(offered);
    } else if (block != newcomer && !referee.admits(by, 0, offered)) {
      drop(newcomer, RemovalCause.NOT_ADMITTED);
    } else {
      evictions++;
      drop(block, RemovalCause.EVICTED);
    }
  }

  void drop(ModelBlock block, RemovalCause cause) {
    residents.remove(block.entry.fingerprint());
    used -= block.entry.blocks();
    referee.remove(block.held(), cause);
    if (block.parent != null) {
      block.parent.children--;
      releaseIfFree(block.parent);
    }
  }

  private void releaseIfFree(ModelBlock block) {
    if (block.evictable() && block.held().aside) {
      referee.release(block.held());
    }
  }

  void resize(long newCapacity) {
    capacity = newCapacity;
    referee.resize(capacity);
    evict(0, Demand.Reason.RESIZE, TestRequest.of());
  }

  void clear() {
    capacity = 0;
    evict(0, Demand.Reason.MANUAL, TestRequest.of());
  }

  /** Replaces the policy with a new one, which receives the residents coldest first. */
  void handOver(Referee successor) {
    List<TestEntry> coldestFirst = new ArrayList<>();
    referee.held().forEach(held -> coldestFirst.add(held.entry));
    coldestFirst.sort(Comparator.comparingLong(TestEntry::lastAccessTick));
    coldestFirst.forEach(entry -> successor.insert(entry.origin(Origin.HANDED_OVER)));
    referee.close();
    referee = successor;
  }
}
