package dev.ebb.testkit;

import org.jspecify.annotations.Nullable;

/** A resident of the model host: an entry with its place in the prefix tree and its pins. */
final class ModelBlock {

  final TestEntry entry;
  final @Nullable ModelBlock parent;
  int children;
  int pins;

  ModelBlock(TestEntry entry, @Nullable ModelBlock parent) {
    this.entry = entry;
    this.parent = parent;
  }

  /** Returns whether it can be evicted: an unused leaf. */
  boolean evictable() {
    return children == 0 && pins == 0;
  }

  void pin(int more) {
    pins += more;
    entry.inUse = pins > 0;
  }

  boolean under(ModelBlock ancestor) {
    for (ModelBlock at = this; at != null; at = at.parent) {
      if (at == ancestor) {
        return true;
      }
    }
    return false;
  }

  Held held() {
    Held held = entry.held;
    if (held == null) {
      throw new IllegalStateException("not inserted yet");
    }
    return held;
  }
}
