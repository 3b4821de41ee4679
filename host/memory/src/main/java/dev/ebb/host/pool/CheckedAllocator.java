package dev.ebb.host.pool;

import dev.ebb.host.pool.runs.RunAllocator;

/**
 * The allocator and the ledger of one pool together, with every misuse refused. Under the pool's
 * lock.
 */
final class CheckedAllocator {

  final BlockLedger ledger;
  final RunAllocator allocator;
  private final String device;

  CheckedAllocator(String device, int blocks, int shortRun) {
    this.device = device;
    ledger = new BlockLedger(blocks);
    allocator = new RunAllocator(blocks, shortRun);
  }

  /** Takes blocks, each with one reference. */
  int[] allocate(BlockOwner owner, int count, Placement placement) {
    int[] blocks = new int[Math.min(count, allocator.freeBlocks())];
    if (blocks.length < count || !take(blocks, placement)) {
      throw full(owner, count);
    }
    boolean run = placement == Placement.CONTIGUOUS;
    for (int i = 0; i < count; i++) {
      ledger.allocated(blocks[i], owner, run && i > 0);
    }
    return blocks;
  }

  /** Allocates scattered blocks into an existing array. */
  void allocate(BlockOwner owner, int[] into, int count) {
    if (!allocator.allocateScattered(into, 0, count)) {
      throw full(owner, count);
    }
    for (int i = 0; i < count; i++) {
      ledger.allocated(into[i], owner, false);
    }
  }

  private boolean take(int[] blocks, Placement placement) {
    if (placement == Placement.SCATTERED) {
      return allocator.allocateScattered(blocks, 0, blocks.length);
    }
    int first = allocator.allocate(blocks.length);
    for (int i = 0; first != RunAllocator.NONE && i < blocks.length; i++) {
      blocks[i] = first + i;
    }
    return first != RunAllocator.NONE;
  }

  PoolFullException full(BlockOwner owner, int count) {
    int free = allocator.freeBlocks();
    String facts =
        "'%s' asked for '%d' blocks on %s: %d of %d are free, %d pinned"
            .formatted(owner.name(), count, device, free, allocator.blocks(), ledger.pinned());
    return free < count
        ? new PoolFullException(facts + "; evict, free a sequence or enlarge ebb.pool.size", false)
        : new PoolFullException(
            facts
                + ", the longest run has %d; compact, or ask for scattered blocks"
                    .formatted(allocator.largestRun()),
            true);
  }

  /** Releases one reference to each. All or none. */
  void free(int... blocks) {
    // Neighbours become free together: one merge for a run, not one for each block.
    int first = 0;
    int length = 0;
    for (int i = 0; i < blocks.length; i++) {
      int block = blocks[i];
      try {
        checkFreeable(block);
      } catch (BlockMisuseException wrong) {
        giveBack(first, length);
        for (int k = i - 1; k >= 0; k--) {
          undo(blocks[k]);
        }
        throw wrong;
      }
      if (ledger.release(block)) {
        if (block != first + length) {
          giveBack(first, length);
          first = block;
          length = 0;
        }
        length++;
      }
    }
    giveBack(first, length);
  }

  void free(int block) {
    checkFreeable(block);
    if (ledger.release(block)) {
      giveBack(block, 1);
    }
  }

  private void giveBack(int first, int length) {
    if (length > 0) {
      allocator.free(first, length);
    }
  }

  private void checkFreeable(int block) {
    checkAllocated(block, "freed");
    if (ledger.references(block) == 1 && ledger.pins(block) > 0) {
      throw new BlockMisuseException(
          "block '%d' of '%s' has '%d' pins and cannot be freed; unpin it first"
              .formatted(block, ledger.owner(block).name(), ledger.pins(block)));
    }
  }

  /** Takes back blocks freed just before: no other owner can have them. */
  private void undo(int block) {
    if (allocator.isFree(block)) {
      allocator.takeAt(block, 1);
      ledger.allocated(block, ledger.owner(block), false);
    } else {
      ledger.share(block);
    }
  }

  void unpin(int block) {
    checkAllocated(block, "unpinned");
    if (ledger.pins(block) == 0) {
      throw new BlockMisuseException(
          "block '%d' has no pin; it was unpinned more often than pinned".formatted(block));
    }
    ledger.unpin(block);
  }

  BlockInfo info(int block) {
    checkNumber(block);
    BlockOwner owner = ledger.lastOwner(block);
    return new BlockInfo(
        block,
        device,
        ledger.references(block),
        owner == null ? null : owner.name(),
        ledger.pins(block),
        ledger.accessed(block));
  }

  PoolStats stats(int blockBytes) {
    return new PoolStats(
        allocator.blocks(),
        allocator.freeBlocks(),
        ledger.pinned(),
        ledger.shared(),
        blockBytes,
        allocator.fragmentation(),
        allocator.largestRun());
  }

  int checkAllocated(int block, String what) {
    checkNumber(block);
    if (ledger.references(block) == 0) {
      BlockOwner last = ledger.lastOwner(block);
      throw new BlockMisuseException(
          "block '%d' cannot be %s: it is not allocated%s"
              .formatted(
                  block,
                  what,
                  last == null ? "" : "; its last owner, '%s', freed it".formatted(last.name())));
    }
    return block;
  }

  void checkNumber(int block) {
    if (block < 0 || block >= allocator.blocks()) {
      throw new BlockMisuseException(
          "block '%d' is not in the pool on '%s', whose blocks are 0 to %d"
              .formatted(block, device, allocator.blocks() - 1));
    }
  }
}
