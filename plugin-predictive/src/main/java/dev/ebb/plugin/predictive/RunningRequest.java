package dev.ebb.plugin.predictive;

import dev.ebb.spi.Entry;
import dev.ebb.spi.Request;
import org.jspecify.annotations.Nullable;

/** The current request: its chain, and which of its blocks have been touched. */
final class RunningRequest {

  private long[] fingerprints = new long[64];
  private @Nullable CachedBlock[] touched = new CachedBlock[64];
  private int[] ghostUses = new int[64];
  private int blocks;
  private int matched;
  private int ordered;
  private int known;
  private int hint;
  private int hintBefore;
  private boolean running;

  /** The block that is likely to be touched next: a host touches them one by one, from the end. */
  private int next;

  /** Copies a chain of which nothing has been touched. */
  void start(Request request) {
    blocks = request.blocks();
    matched = request.matched();
    ordered = request.ordered();
    known = matched;
    hint = CallerHint.group(request);
    hintBefore = hint;
    running = true;
    next = -1;
    if (blocks > fingerprints.length) {
      int length = Math.max(blocks, fingerprints.length * 2);
      fingerprints = new long[length];
      touched = new CachedBlock[length];
      ghostUses = new int[length];
    }
    for (int i = 0; i < blocks; i++) {
      fingerprints[i] = request.fingerprint(i);
      ghostUses[i] = 0;
    }
  }

  void stop() {
    blocks = 0;
    running = false;
  }

  boolean running() {
    return running;
  }

  int blocks() {
    return blocks;
  }

  int matched() {
    return matched;
  }

  /** Returns the leading blocks whose order is known. */
  int ordered() {
    return ordered;
  }

  /** Returns the group of what the caller knows. */
  int hint() {
    return hint;
  }

  /** Returns the group of what the caller knew before the end. */
  int hintBefore() {
    return hintBefore;
  }

  /** Records what the caller knows at the end. */
  void end(Request request) {
    hint = CallerHint.group(request);
  }

  /** Returns the leading blocks that were resident or ghosts. */
  int known() {
    return known;
  }

  long fingerprint(int index) {
    return fingerprints[index];
  }

  /** Records that the next block after the known ones is a ghost. */
  void knowGhost(int uses) {
    ghostUses[known++] = uses;
  }

  /** Returns the uses of a block before this one, if it was a ghost. */
  int ghostUses(int index) {
    return ghostUses[index];
  }

  /** Returns the index of an entry that is an untouched block of this chain; -1 if it is not. */
  int index(Entry entry) {
    // The depth of an entry may change while a policy on its own thread reads it.
    return awaits(next, entry) ? next : indexByDepth(entry);
  }

  private int indexByDepth(Entry entry) {
    int depth = entry.depth();
    return awaits(depth, entry) ? depth : -1;
  }

  private boolean awaits(int index, Entry entry) {
    return awaits(index, entry.fingerprint());
  }

  /** Returns whether a block of this chain has this fingerprint, and has not been touched. */
  boolean awaits(int index, long fingerprint) {
    return index >= 0
        && index < blocks
        && touched[index] == null
        && fingerprints[index] == fingerprint;
  }

  void touch(int index, CachedBlock block) {
    touched[index] = block;
    next = index - 1;
  }

  /** Records that a touched block of this chain was removed again. */
  void untouch(CachedBlock block) {
    int index = block.entry.depth();
    if (index < blocks && touched[index] == block) {
      touched[index] = null;
    }
  }

  /** Returns a touched block, which is not one any more. */
  @Nullable CachedBlock take(int index) {
    CachedBlock block = touched[index];
    touched[index] = null;
    return block;
  }
}
