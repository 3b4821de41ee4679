package dev.ebb.host.pool;

import dev.ebb.host.pool.runs.BlockBits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The owners, references and pins of blocks, and which blocks were allocated as one run. About 21
 * bytes a block. Not thread-safe.
 */
final class BlockLedger {

  private final int[] references;
  private final short[] pins;
  private final long[] accessed;
  private final @Nullable BlockOwner[] owners;
  private final BlockBits joined;
  private long tick;
  private int pinned;
  private int shared;

  BlockLedger(int blocks) {
    references = new int[blocks];
    pins = new short[blocks];
    accessed = new long[blocks];
    owners = new @Nullable BlockOwner[blocks];
    joined = new BlockBits(blocks);
  }

  int pinned() {
    return pinned;
  }

  int shared() {
    return shared;
  }

  int references(int block) {
    return references[block];
  }

  int pins(int block) {
    return pins[block];
  }

  long accessed(int block) {
    return accessed[block];
  }

  @Nullable BlockOwner lastOwner(int block) {
    return owners[block];
  }

  BlockOwner owner(int block) {
    return Objects.requireNonNull(owners[block], "block has no owner");
  }

  /** Returns whether a block must lie directly behind the one before it. */
  boolean joined(int block) {
    return joined.get(block);
  }

  /** Returns whether a block can be moved. */
  boolean movable(int block) {
    return pins[block] == 0;
  }

  void allocated(int block, BlockOwner owner, boolean join) {
    references[block] = 1;
    owners[block] = owner;
    accessed[block] = ++tick;
    if (join) {
      joined.setAll(block, 1);
    }
  }

  void assign(int block, BlockOwner owner) {
    owners[block] = owner;
  }

  void touch(int block) {
    accessed[block] = ++tick;
  }

  void share(int block) {
    if (++references[block] == 2) {
      shared++;
    }
    touch(block);
  }

  /** Releases a reference; true if it was the last. */
  boolean release(int block) {
    int left = --references[block];
    if (left == 1) {
      shared--;
    }
    if (left == 0) {
      freed(block);
    }
    return left == 0;
  }

  void pin(int block) {
    if (pins[block] == Short.MAX_VALUE) {
      throw new BlockMisuseException(
          "block '%d' has '%d' pins, the most it can have; unpin it".formatted(block, pins[block]));
    }
    if (pins[block]++ == 0) {
      pinned++;
    }
  }

  void unpin(int block) {
    if (--pins[block] == 0) {
      pinned--;
    }
  }

  /** Moves a block's record to another number. */
  void move(int from, int to) {
    references[to] = references[from];
    owners[to] = owner(from);
    accessed[to] = accessed[from];
    if (joined.get(from)) {
      joined.setAll(to, 1);
    }
    references[from] = 0;
    joined.clearAll(from, 1);
  }

  private void freed(int block) {
    joined.clearAll(block, 1);
    separate(block);
  }

  private void separate(int block) {
    if (block + 1 < references.length) {
      joined.clearAll(block + 1, 1);
    }
  }

  List<Leak> held() {
    Map<BlockOwner, int[]> counts = new LinkedHashMap<>();
    for (int block = 0; block < references.length; block++) {
      if (references[block] > 0) {
        int first = block;
        counts.computeIfAbsent(owner(block), any -> new int[] {0, first})[0]++;
      }
    }
    List<Leak> leaks = new ArrayList<>();
    counts.forEach((owner, count) -> leaks.add(new Leak(owner.name(), count[0], count[1])));
    return leaks;
  }
}
