package dev.ebb.plugin.classic;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A heap of nodes by rank, and by last use among equals: O(log n) for each change. Four children a
 * node; each node knows its index.
 */
final class NodeHeap {

  private static final int ARITY = 4;

  private @Nullable RankedNode[] heap = new RankedNode[64];
  private int size;

  /** Returns the node of the lowest rank, or null if there is none. */
  @Nullable RankedNode lowest() {
    return heap[0];
  }

  /** Adds a node that is not in the heap. */
  void add(RankedNode node) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    int index = size++;
    place(node, index);
    siftUp(node, index);
  }

  /** Removes a node if it is in the heap. */
  void remove(RankedNode node) {
    int index = node.heapIndex;
    if (index < 0) {
      return;
    }
    RankedNode last = heap[--size];
    heap[size] = null;
    node.heapIndex = RankedNode.NOT_IN_HEAP;
    if (last != null && last != node) {
      place(last, index);
      moved(last);
    }
  }

  /** Finds the new place of a node whose rank or last use has changed, if it is in the heap. */
  void moved(RankedNode node) {
    if (node.heapIndex >= 0) {
      siftUp(node, node.heapIndex);
      siftDown(node, node.heapIndex);
    }
  }

  private void siftUp(RankedNode node, int start) {
    int index = start;
    while (index > 0) {
      int above = (index - 1) / ARITY;
      RankedNode parent = heap[above];
      if (parent == null || !before(node, parent)) {
        break;
      }
      place(parent, index);
      index = above;
    }
    place(node, index);
  }

  private void siftDown(RankedNode node, int start) {
    int index = start;
    RankedNode least = least(index);
    while (least != null && before(least, node)) {
      int below = least.heapIndex;
      place(least, index);
      index = below;
      least = least(index);
    }
    place(node, index);
  }

  private @Nullable RankedNode least(int parent) {
    int first = parent * ARITY + 1;
    int end = Math.min(first + ARITY, size);
    RankedNode least = null;
    for (int index = first; index < end; index++) {
      RankedNode child = heap[index];
      if (child != null && (least == null || before(child, least))) {
        least = child;
      }
    }
    return least;
  }

  private void place(RankedNode node, int index) {
    heap[index] = node;
    node.heapIndex = index;
  }

  private static boolean before(RankedNode a, RankedNode b) {
    return a.rank < b.rank || (a.rank == b.rank && a.lastUse < b.lastUse);
  }
}
