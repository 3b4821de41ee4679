package dev.ebb.spi.sim;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The object model: each id of a request, front to back, is an object of one block and a request of
 * its own; a miss inserts.
 */
public final class ObjectModel {

  private ObjectModel() {}

  /**
   * Replays a trace.
   *
   * @return how many ids were not resident when they were asked for
   */
  public static <N> long misses(BlockPolicy<N> policy, Trace trace, long capacity) {
    SimEntry[] entries = new SimEntry[trace.distinct()];
    List<N> nodes = new ArrayList<>(Collections.nCopies(trace.distinct(), null));
    SimRequest request = new SimRequest();
    long misses = 0;
    long tick = 0;
    for (SimRequest next : trace.requests()) {
      for (int id : next.ids) {
        N node = nodes.get(id);
        policy.began(request.become(new SimRequest(id), node == null ? 0 : 1));
        if (node != null) {
          entries[id].touch(++tick);
          policy.accessed(node);
        } else {
          misses++;
          if (policy.size() == capacity
              && policy.victim(SimDemand.ONE_BLOCK) instanceof SimEntry victim) {
            policy.removed(nodes.set(victim.id, null), RemovalCause.EVICTED);
          }
          SimEntry entry = entries[id];
          if (entry == null) {
            entry = new SimEntry(id);
            entries[id] = entry;
          }
          entry.insert(++tick);
          nodes.set(id, policy.inserted(entry));
        }
        policy.ended(request);
      }
    }
    return misses;
  }
}
