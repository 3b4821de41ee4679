package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.Hash64;
import dev.ebb.host.trace.TraceRequest;
import java.util.Arrays;

/**
 * A growing prompt, cut into blocks. A block's id is a hash of all tokens up to its end, so it
 * identifies the block and all blocks before it. Text is a seed and a length: equal seeds, equal
 * text.
 */
final class PromptBlocks {

  private final int blockTokens;
  private long[] full;
  private int fullBlocks;

  /** The hash of all text so far, and how many tokens of it are in the unfinished last block. */
  private long hash;

  private int tailTokens;

  PromptBlocks(int blockTokens) {
    this.blockTokens = blockTokens;
    this.full = new long[64];
  }

  private PromptBlocks(PromptBlocks trunk) {
    blockTokens = trunk.blockTokens;
    full = trunk.full.clone();
    fullBlocks = trunk.fullBlocks;
    hash = trunk.hash;
    tailTokens = trunk.tailTokens;
  }

  /** Returns an independent copy of this prompt. */
  PromptBlocks fork() {
    return new PromptBlocks(this);
  }

  /**
   * Returns a copy of the first blocks of this prompt; what is appended to it is other text.
   *
   * @param depth where it ends: 0 to 1 of the full blocks, exclusive; it has at least one of them
   */
  PromptBlocks fork(double depth) {
    PromptBlocks fork = fork();
    if (fullBlocks > 0) {
      fork.fullBlocks = 1 + (int) (depth * fullBlocks);
      fork.hash = full[fork.fullBlocks - 1];
      fork.tailTokens = 0;
    }
    return fork;
  }

  long tokens() {
    return (long) fullBlocks * blockTokens + tailTokens;
  }

  void append(long text, long tokens) {
    long at = 0;
    while (at < tokens) {
      int taken = (int) Math.min(blockTokens - tailTokens, tokens - at);
      hash = Hash64.mix(hash + Hash64.mix(Hash64.mix(text) + at) + taken);
      tailTokens += taken;
      at += taken;
      if (tailTokens == blockTokens) {
        addFull();
      }
    }
  }

  /** Sets this as the prompt of a request. An unfinished last block has an id of its own. */
  void fill(TraceRequest request) {
    for (int i = 0; i < fullBlocks; i++) {
      request.addId(full[i]);
    }
    if (tailTokens > 0) {
      request.addId(id());
    }
    request.inputTokens = tokens();
  }

  private void addFull() {
    if (fullBlocks == full.length) {
      full = Arrays.copyOf(full, 2 * fullBlocks);
    }
    full[fullBlocks++] = id();
    tailTokens = 0;
  }

  private long id() {
    return hash >>> 1;
  }
}
