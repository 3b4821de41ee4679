package dev.ebb.plugin.llm;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A binary heap of nodes by references, among equals by last use, which knows each one's place. */
final class ReferenceHeap {

  private static final int OUTSIDE = -1;

  private @Nullable Node[] heap = new Node[64];
  private int size;

  /** A node of the heap. */
  static class Node {
    int references;
    long tick;
    private int index = OUTSIDE;

    private boolean isBefore(Node other) {
      return references < other.references || (references == other.references && tick < other.tick);
    }
  }

  @Nullable Node first() {
    return heap[0];
  }

  boolean contains(Node node) {
    return node.index != OUTSIDE;
  }

  void add(Node node) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    sift(node, size++);
  }

  /** Moves a node to its place; does nothing if it is not in the heap. */
  void update(Node node) {
    if (contains(node)) {
      sift(node, node.index);
    }
  }

  /** Removes a node; does nothing if it is not in the heap. */
  void remove(Node node) {
    if (!contains(node)) {
      return;
    }
    int hole = node.index;
    node.index = OUTSIDE;
    Node last = heap[--size];
    heap[size] = null;
    if (last != null && last != node) {
      sift(last, hole);
    }
  }

  /** Puts a node into a hole, or where it belongs above or below it. */
  private void sift(Node node, int hole) {
    int at = hole;
    for (Node above = parent(at); above != null && node.isBefore(above); above = parent(at)) {
      place(above, at);
      at = (at - 1) / 2;
    }
    for (Node below = lesserChild(at); below != null && below.isBefore(node); ) {
      int place = below.index;
      place(below, at);
      at = place;
      below = lesserChild(at);
    }
    place(node, at);
  }

  private @Nullable Node parent(int index) {
    return index == 0 ? null : heap[(index - 1) / 2];
  }

  private @Nullable Node lesserChild(int index) {
    int child = 2 * index + 1;
    if (child >= size) {
      return null;
    }
    Node left = heap[child];
    Node right = child + 1 < size ? heap[child + 1] : null;
    return right != null && left != null && right.isBefore(left) ? right : left;
  }

  private void place(Node node, int index) {
    heap[index] = node;
    node.index = index;
  }
}
