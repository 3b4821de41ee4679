package dev.ebb.plugin.predictive;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RemovalCause;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A prefix cache over a trace, one request at a time: match the longest resident prefix, pin it,
 * admit the rest front to back while leaves leave, touch deepest first, unpin.
 */
final class PrefixCache {

  private final int capacity;
  private final BlockPolicy<Object> policy;
  private final TestContext context;
  private final Map<Long, SimulatedEntry> resident = new HashMap<>();
  private final Demand demand = new AnyDemand();
  private long hits;
  private long references;
  private long tick;

  PrefixCache(TestContext context, Function<PolicyContext, BlockPolicy<?>> provider) {
    this.context = context;
    this.capacity = (int) context.capacityBlocks();
    this.policy = cast(provider.apply(context));
  }

  @SuppressWarnings("unchecked")
  private static BlockPolicy<Object> cast(BlockPolicy<?> policy) {
    return (BlockPolicy<Object>) policy;
  }

  /** Blocks hit over blocks asked for. */
  double hitRatio() {
    return (double) hits / references;
  }

  BlockPolicy<Object> policy() {
    return policy;
  }

  Iterable<SimulatedEntry> residents() {
    return resident.values();
  }

  void run(SimulatedRequest request) {
    context.nanos = request.nanos;
    long[] chain = request.chain;
    SimulatedEntry[] path = new SimulatedEntry[chain.length];
    int matched = 0;
    while (matched < chain.length) {
      SimulatedEntry hit = resident.get(chain[matched]);
      if (hit == null) {
        break;
      }
      path[matched++] = hit;
      hit.pinned = true;
    }
    hits += matched;
    references += chain.length;
    request.matched = matched;
    policy.began(request);
    int admitted = matched + makeRoom(chain.length - matched);
    for (int i = matched; i < admitted; i++) {
      path[i] = admit(chain, i, i == 0 ? null : path[i - 1]);
    }
    for (int i = admitted - 1; i >= matched; i--) {
      path[i].accessNanos = request.nanos;
      path[i].workload = request.workload;
      path[i].accessTick = ++tick;
      path[i].node = policy.inserted(path[i]);
    }
    for (int i = matched - 1; i >= 0; i--) {
      path[i].accesses++;
      path[i].last = i == chain.length - 1;
      path[i].accessNanos = request.nanos;
      path[i].workload = request.workload;
      path[i].accessTick = ++tick;
      policy.accessed(node(path[i]));
    }
    policy.ended(request);
    for (int i = admitted - 1; i >= 0; i--) {
      path[i].pinned = false;
      releaseIfFree(path[i]);
    }
  }

  private SimulatedEntry admit(long[] chain, int depth, @Nullable SimulatedEntry parent) {
    SimulatedEntry entry = new SimulatedEntry(chain[depth], depth);
    entry.parent = parent;
    entry.pinned = true;
    entry.last = depth == chain.length - 1;
    if (parent != null) {
      parent.residentChildren++;
    }
    resident.put(chain[depth], entry);
    return entry;
  }

  private int makeRoom(int wanted) {
    while (resident.size() + wanted > capacity) {
      Entry offered = policy.victim(demand);
      if (offered == null) {
        return capacity - resident.size();
      }
      answer((SimulatedEntry) offered);
    }
    return wanted;
  }

  private void answer(SimulatedEntry offered) {
    if (resident.get(offered.fingerprint) != offered || offered.setAside) {
      throw new IllegalStateException("offered what is gone or set aside");
    }
    if (offered.pinned || offered.residentChildren > 0) {
      offered.setAside = true;
      policy.refused(node(offered));
      return;
    }
    resident.remove(offered.fingerprint);
    policy.removed(node(offered), RemovalCause.EVICTED);
    SimulatedEntry parent = offered.parent;
    if (parent != null) {
      parent.residentChildren--;
      releaseIfFree(parent);
    }
  }

  private void releaseIfFree(SimulatedEntry entry) {
    if (entry.setAside && !entry.pinned && entry.residentChildren == 0) {
      entry.setAside = false;
      policy.released(node(entry));
    }
  }

  private static Object node(SimulatedEntry entry) {
    return Objects.requireNonNull(entry.node);
  }
}
