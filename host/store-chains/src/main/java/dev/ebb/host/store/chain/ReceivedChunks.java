package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.store.key.Model;
import dev.ebb.host.store.key.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chunks that nodes of a cluster copy from each other: no lookup has shown what precedes them here,
 * so the sender says it. Some of the chunks before one may be on other nodes; then it follows the
 * nearest one that is here, so that the end of a prompt is evicted before its start on each node.
 * Guarded by the partition's lock.
 */
public final class ReceivedChunks {

  /** Chunks after the same one of which a new one may be the missing link to them. */
  private static final int MOST_SIBLINGS = 32;

  private final Chains chains;

  ReceivedChunks(Chains chains) {
    this.chains = chains;
  }

  /** Returns what another node has to know of a chunk, which may have been evicted. */
  public ChunkContext of(ObjectKey key) {
    Model model = key.labels().model();
    ObjectGroups groups = model.source() == Model.Source.DEFAULT ? null : model.groups();
    List<byte[]> before = new ArrayList<>();
    int bytes = 0;
    for (ObjectKey each : before(key.entryLow())) {
      bytes += each.bytes().length;
      if (bytes > ChunkContext.MOST_KEY_BYTES) {
        break;
      }
      before.add(each.bytes());
    }
    return new ChunkContext(groups, before);
  }

  private List<ObjectKey> before(long low) {
    List<ObjectKey> before = new ArrayList<>();
    long on = low;
    while (before.size() < ChunkContext.MOST_BEFORE) {
      ChainedValue value = chains.values.at(on);
      if (value != null && (value.parent != null || !value.absent.isEmpty())) {
        before.addAll(value.before(ChunkContext.MOST_BEFORE - before.size()));
        break;
      }
      // Of a request that has not ended, or evicted.
      long predecessor = chains.predecessors.before(on);
      ChainedValue parent = predecessor == Predecessors.NONE ? null : chains.values.at(predecessor);
      if (parent == null) {
        break;
      }
      before.add(parent.key);
      on = parent.key.low();
    }
    return before;
  }

  public void received(ObjectKey key, @Nullable ObjectGroups groups, List<ObjectKey> before) {
    if (groups != null) {
      key.labels().model().inform(groups);
    }
    ChainedValue value = chains.values.at(key.entryLow());
    if (value == null || value.request != null) {
      return;
    }
    chains.values.regroup(value);
    if (value.parent == null && !before.isEmpty()) {
      chains.predecessors.assume(key.entryLow(), before.getFirst().entryLow());
      link(value, before);
    }
  }

  private void link(ChainedValue value, List<ObjectKey> before) {
    for (int i = 0; i < before.size(); i++) {
      ChainedValue parent = chains.values.at(before.get(i).entryLow());
      if (parent != null && chains.tree.link(value, parent)) {
        value.absent = List.copyOf(before.subList(0, i));
        takeChildren(value, parent);
        rank(value);
        rank(parent);
        return;
      }
    }
    chains.tree.await(value, before.getFirst().entryLow());
    value.absent = List.copyOf(before);
  }

  /** Takes over what follows a chunk directly, and was received before it. */
  private void takeChildren(ChainedValue value, ChainedValue parent) {
    ChainedValue sibling = parent.firstChild;
    for (int i = 0; i < MOST_SIBLINGS && sibling != null; i++) {
      ChainedValue next = sibling.nextSibling;
      if (sibling != value && chains.predecessors.before(sibling.key.low()) == value.key.low()) {
        chains.tree.link(sibling, value);
      }
      sibling = next;
    }
  }

  /** Ranks the objects of a chunk that no client has used here. */
  private void rank(ChainedValue value) {
    CacheEntry entry = requireNonNull(value.entry);
    if (entry.accesses() == 1 && value.request == null) {
      chains.values.regroup(value);
      chains.cache.rankReceived(entry);
    }
  }
}
