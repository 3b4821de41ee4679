package dev.ebb.plugin.classic;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A heap of nodes by rank, and by last use among equals: O(log n) for each change. Four children a
 * node; each node knows its index.
 */
final class NodeHeap {

  private static final int ARITY = 4;

  private @Nullable CachedNode[] heap = new CachedNode[64];
  private int size;

  /** Returns the node of the lowest rank, or null if there is none. */
  @Nullable CachedNode lowest() {
    return heap[0];
  }

  /** Adds a node that is not in the heap. */
  void add(CachedNode node) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    int index = size++;
    place(node, index);
    siftUp(node, index);
  }

  /** Removes a node if it is in the heap. */
  void remove(CachedNode node) {
    int index = node.heapIndex;
    if (index < 0) {
      return;
    }
    CachedNode last = heap[--size];
    heap[size] = null;
    node.heapIndex = CachedNode.NOT_IN_HEAP;
    if (last != null && last != node) {
      place(last, index);
      moved(last);
    }
  }

  /** Finds the new place of a node whose rank or last use has changed, if it is in the heap. */
  void moved(CachedNode node) {
    if (node.heapIndex >= 0) {
      siftUp(node, node.heapIndex);
      siftDown(node, node.heapIndex);
    }
  }

  private void siftUp(CachedNode node, int start) {
    int index = start;
    while (index > 0) {
      int above = (index - 1) / ARITY;
      CachedNode parent = heap[above];
      if (parent == null || !before(node, parent)) {
        break;
      }
      place(parent, index);
      index = above;
    }
    place(node, index);
  }

  private void siftDown(CachedNode node, int start) {
    int index = start;
    CachedNode least = least(index);
    while (least != null && before(least, node)) {
      int below = least.heapIndex;
      place(least, index);
      index = below;
      least = least(index);
    }
    place(node, index);
  }

  private @Nullable CachedNode least(int parent) {
    int first = parent * ARITY + 1;
    int end = Math.min(first + ARITY, size);
    CachedNode least = null;
    for (int index = first; index < end; index++) {
      CachedNode child = heap[index];
      if (child != null && (least == null || before(child, least))) {
        least = child;
      }
    }
    return least;
  }

  private void place(CachedNode node, int index) {
    heap[index] = node;
    node.heapIndex = index;
  }

  private static boolean before(CachedNode a, CachedNode b) {
    return a.rank < b.rank || (a.rank == b.rank && a.lastUse < b.lastUse);
  }
}
