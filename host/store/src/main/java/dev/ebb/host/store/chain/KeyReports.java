package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.store.key.KeyListener;
import dev.ebb.spi.RemovalCause;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.List;

/**
 * Reports stored and removed values to a listener. The values of a stated request are reported in
 * the order of their chain: one that is stored before its predecessor waits until that is stored,
 * or until the request is completed. Guarded by the partition's lock.
 */
final class KeyReports {

  private final ValueIndex values;
  KeyListener listener = KeyListener.NONE;

  /** Stated requests by the missing key before their next value to be reported. */
  private final Long2ObjectOpenHashMap<List<ObservedRequest>> blocked =
      new Long2ObjectOpenHashMap<>();

  KeyReports(ValueIndex values) {
    this.values = values;
  }

  /**
   * Reports a value that has become visible, or lets it wait.
   *
   * @param predecessor the key before it, if that is certain; none if not, and for a first one
   */
  void stored(ChainedValue value, long predecessor) {
    if (value.key.isAttachment()) {
      return;
    }
    ObservedRequest by = value.request;
    if (by == null || !by.stated) {
      report(value, predecessor);
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

  /** Reports a value that is no longer visible, unless nothing was reported of it. */
  void removed(ChainedValue value, RemovalCause cause) {
    ObservedRequest by = value.request;
    boolean reported = by == null || !by.unreported.remove(value.key.low());
    if (reported && !value.key.isAttachment()) {
      listener.removed(value.key.bytes(), cause);
    }
  }

  /** Reports the values of a request that still wait. */
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
    ChainedValue parent = predecessor == Predecessors.NONE ? null : values.at(predecessor);
    boolean known = parent != null && !waits(parent);
    listener.stored(
        value.key.bytes(), known ? requireNonNull(parent).key.bytes() : null, value.length);
  }

  private static boolean waits(ChainedValue value) {
    return value.request != null && value.request.unreported.contains(value.key.low());
  }
}
