package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.spi.RemovalCause;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reports stored and removed values to a listener. The values of a stated request are reported in
 * the order of their chain: one that is stored before its predecessor waits until that is stored,
 * or until the request is completed. Guarded by the partition's lock.
 */
final class KeyReports {

  private final ValueIndex values;
  private final Predecessors predecessors;
  KeyListener listener = KeyListener.NONE;

  /** Stated requests by the missing key before their next value to be reported. */
  private final Long2ObjectOpenHashMap<List<ObservedRequest>> blocked =
      new Long2ObjectOpenHashMap<>();

  KeyReports(ValueIndex values, Predecessors predecessors) {
    this.values = values;
    this.predecessors = predecessors;
  }

  /** Reports a value that has become visible, or lets it wait. */
  void stored(ChainedValue value) {
    if (value.key.isAttachment()) {
      return;
    }
    ObservedRequest by = value.request;
    if (by == null || !by.stated) {
      report(value, predecessors.certain(value.key.low()));
    } else {
      by.unreported.add(value.key.low());
      if (by.blockedBy == Predecessors.NONE) {
        advance(by);
      }
    }
    List<ObservedRequest> free = blocked.remove(value.key.low());
    if (free != null) {
      free.forEach(this::advance);
    }
  }

  /**
   * Reports one more object of a chunk, if it is the first one of its object group. Those of a
   * chunk that waits are reported with it.
   */
  void joined(ChainedValue chunk, ObjectKey key) {
    if (listener != KeyListener.NONE
        && key.labels().isGrouped()
        && !waits(chunk)
        && objects(chunk, key) == 1) {
      report(chunk.objects().getLast(), parent(predecessors.certain(chunk.key.low())));
    }
  }

  /** Reports that a chunk has lost an object, if that was the last one of its object group. */
  void left(ChainedValue chunk, ObjectKey key, RemovalCause cause) {
    if (listener != KeyListener.NONE
        && key.labels().isGrouped()
        && !waits(chunk)
        && objects(chunk, key) == 0) {
      listener.removed(key.bytes(), key.labels().group(), cause);
    }
  }

  private static long objects(ChainedValue chunk, ObjectKey key) {
    int group = key.labels().group();
    return chunk.objects().stream().filter(each -> each.key.labels().group() == group).count();
  }

  /** Reports a value that is no longer visible, unless nothing was reported of it. */
  void removed(ChainedValue value, RemovalCause cause) {
    ObservedRequest by = value.request;
    boolean reported = by == null || !by.unreported.remove(value.key.low());
    if (!reported || value.key.isAttachment() || listener == KeyListener.NONE) {
      return;
    }
    for (ChainedValue object : oneOfEachGroup(value)) {
      listener.removed(object.key.bytes(), group(object.key.labels()), cause);
    }
  }

  private static int group(KeyLabels labels) {
    return labels.isGrouped() ? labels.group() : KeyListener.ONLY_GROUP;
  }

  private static List<ChainedValue> oneOfEachGroup(ChainedValue chunk) {
    if (!chunk.key.labels().isGrouped()) {
      return List.of(chunk);
    }
    Set<Integer> groups = new HashSet<>();
    List<ChainedValue> first = new ArrayList<>(chunk.objects());
    first.removeIf(object -> !groups.add(object.key.labels().group()));
    return first;
  }

  void completed(ObservedRequest request) {
    List<ObservedRequest> same = blocked.get(request.blockedBy);
    if (same != null && same.remove(request) && same.isEmpty()) {
      blocked.remove(request.blockedBy);
    }
    request.blockedBy = Predecessors.NONE;
    for (int i = request.announced; i < request.size() && !request.unreported.isEmpty(); i++) {
      if (request.unreported.contains(request.low(i))) {
        report(request, i);
      }
    }
  }

  /** Reports values of a request up to a key that is missing. */
  private void advance(ObservedRequest request) {
    request.blockedBy = Predecessors.NONE;
    request.announced = Math.max(request.announced, request.reached);
    while (!request.unreported.isEmpty() && request.announced < request.size()) {
      long low = request.low(request.announced);
      if (values.at(low) == null) {
        request.blockedBy = low;
        blocked.computeIfAbsent(low, any -> new ArrayList<>()).add(request);
        return;
      }
      report(request, request.announced++);
    }
  }

  /** Reports a value of a chain, which another request may have made. */
  private void report(ObservedRequest request, int index) {
    ChainedValue value = values.at(request.low(index));
    if (value != null && waits(value)) {
      requireNonNull(value.request).unreported.remove(value.key.low());
      report(value, index == 0 ? Predecessors.NONE : request.low(index - 1));
    }
  }

  private void report(ChainedValue value, long predecessor) {
    if (listener == KeyListener.NONE) {
      return;
    }
    byte[] parent = parent(predecessor);
    for (ChainedValue object : oneOfEachGroup(value)) {
      report(object, parent);
    }
  }

  private void report(ChainedValue object, byte @Nullable [] parent) {
    KeyLabels labels = object.key.labels();
    ObjectGroup kind = labels.isGrouped() ? labels.groupKind() : null;
    listener.stored(object.key.bytes(), group(labels), kind, parent);
  }

  private byte @Nullable [] parent(long predecessor) {
    ChainedValue parent = predecessor == Predecessors.NONE ? null : values.at(predecessor);
    return parent == null || waits(parent) ? null : parent.key.bytes();
  }

  private static boolean waits(ChainedValue value) {
    return value.request != null && value.request.unreported.contains(value.key.low());
  }
}
