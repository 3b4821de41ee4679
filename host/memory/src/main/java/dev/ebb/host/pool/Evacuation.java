package dev.ebb.host.pool;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.pool.runs.RunAllocator;
import java.util.ArrayList;
import java.util.List;

/** Moves the blocks of one window into holes elsewhere. */
final class Evacuation {

  private final KvPool pool;
  private final RunAllocator allocator;
  private final BlockLedger ledger;
  private final int first;
  private final int end;
  private final List<Run> units = new ArrayList<>();
  private final List<Run> holes = new ArrayList<>();
  private final BlockMoves moves;

  /** Whether the units are all blocks of the window and no other. */
  private boolean whole;

  /** Blocks that lie together. */
  private record Run(int first, int length) {}

  Evacuation(KvPool pool, int first, int length) {
    this.pool = pool;
    this.allocator = pool.allocator;
    this.ledger = pool.ledger;
    this.first = first;
    this.end = first + length;
    moves = new BlockMoves(length);
  }

  /**
   * Moves all of it, or as much as finds a hole.
   *
   * @param atLeastOne whether one unit may exceed the budget
   */
  int run(int holeLimit, int budget, boolean atLeastOne) {
    if (!findUnits(budget, atLeastOne)) {
      return 0;
    }
    withholdFree();
    int freed = 0;
    try {
      int placed = place(holeLimit);
      move();
      freed = placed;
    } finally {
      release(freed);
    }
    return moves.count();
  }

  private void move() {
    if (moves.count() == 0) {
      return;
    }
    copy();
    for (int i = 0; i < moves.count(); i++) {
      ledger.move(moves.from(i), moves.to(i));
    }
    pool.movement().moved(moves);
  }

  /** Frees the holes of the window and the units that have moved. */
  private void release(int placed) {
    if (whole && placed == units.size()) {
      // Together they are the window: one call instead of one for each.
      allocator.free(first, end - first);
      return;
    }
    holes.forEach(this::free);
    units.subList(0, placed).forEach(this::free);
  }

  /**
   * Finds as many units as the budget allows, or none if one of the window cannot move. Blocks
   * allocated as one run are one unit, even if it extends beyond the window.
   */
  private boolean findUnits(int budget, boolean atLeastOne) {
    int total = 0;
    whole = true;
    int block = first;
    while (ledger.joined(block)) {
      block--;
    }
    for (block = allocator.firstTaken(block, end - block);
        block < end;
        block = block < end ? allocator.firstTaken(block, end - block) : end) {
      int start = block;
      do {
        if (!ledger.movable(block)) {
          return false;
        }
        block++;
      } while (block < allocator.blocks() && ledger.joined(block));
      total += block - start;
      if (total <= budget || (atLeastOne && units.isEmpty())) {
        units.add(new Run(start, block - start));
        whole &= start >= first && block <= end;
      } else {
        whole = false;
      }
    }
    return !units.isEmpty();
  }

  private void withholdFree() {
    int block = allocator.firstFree(first, end - first);
    while (block < end) {
      int after = allocator.firstTaken(block, end - block);
      allocator.takeAt(block, after - block);
      holes.add(new Run(block, after - block));
      block = allocator.firstFree(after, end - after);
    }
  }

  private int place(int holeLimit) {
    int placed = 0;
    for (Run unit : units) {
      int target = allocator.allocateInHole(unit.length, holeLimit);
      if (target == RunAllocator.NONE) {
        return placed;
      }
      for (int k = 0; k < unit.length; k++) {
        moves.add(unit.first + k, target + k);
      }
      placed++;
    }
    return placed;
  }

  private void copy() {
    try {
      pool.slab().copyBlocks(moves, pool.layout().blockBytes());
    } catch (RuntimeException failed) {
      for (int i = 0; i < moves.count(); i++) {
        allocator.free(moves.to(i), 1);
      }
      throw failed;
    }
  }

  private void free(Run run) {
    allocator.free(run.first, run.length);
  }
}
