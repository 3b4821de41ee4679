package dev.ebb.plugin.predictive;

/** Links resident blocks as requests show them, and keeps the leaves up to date. */
final class BlockLinks {

  private final Leaves leaves;
  private final Selection selection;

  BlockLinks(Leaves leaves, Selection selection) {
    this.leaves = leaves;
    this.selection = selection;
  }

  void link(CachedBlock child, CachedBlock parent) {
    if (child.parent != parent) {
      unlink(child);
      child.parent = parent;
      parent.children++;
    }
  }

  void unlink(CachedBlock child) {
    CachedBlock parent = child.parent;
    if (parent != null) {
      child.parent = null;
      parent.children--;
      if (!parent.gone()) {
        considerLeaf(parent);
      }
    }
  }

  /** Unlinks a block whose parent, by an order that was assumed before, is below it. */
  void leaveCycle(CachedBlock block) {
    CachedBlock on = block.parent;
    while (on != null && on != block) {
      on = on.parent;
    }
    if (on == block) {
      unlink(block);
    }
  }

  /** Adds a block to the leaves, updates its cohort there, or removes it. */
  void considerLeaf(CachedBlock block) {
    if (block.children > 0) {
      leaves.remove(block);
    } else if (!block.setAside && block.cohort != Cohorts.NONE) {
      leaves.add(block);
      selection.join(block);
    }
  }
}
