package dev.ebb.host.store.chain;

import dev.ebb.host.store.key.Model;
import dev.ebb.host.store.key.ObjectKey;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What a client reads of the chunks of a prompt, by object group. Guarded by the partition's lock.
 */
final class ObjectReads {

  private final List<LongOpenHashSet> groups = new ArrayList<>();

  /** Adds an object that was read; returns false if it was read before. */
  boolean add(ObjectKey key) {
    int group = key.labels().group();
    while (groups.size() <= group) {
      groups.add(new LongOpenHashSet(0));
    }
    return groups.get(group).add(key.entryLow());
  }

  /** Lets the model of a request learn what is read of each object group. */
  void teach(Model model, ObservedRequest request) {
    if (groups.size() < 2) {
      return;
    }
    List<BitSet> reads = new ArrayList<>();
    for (LongOpenHashSet group : groups) {
      BitSet read = new BitSet();
      for (int i = 0; i < request.size(); i++) {
        read.set(i, group.contains(request.low(i)));
      }
      reads.add(read);
    }
    model.learn(reads);
  }
}
