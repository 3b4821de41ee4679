package dev.ebb.host.replay;

import java.util.List;

/**
 * What became of the objects of a hybrid model's chunks.
 *
 * @param blocks what each group holds at the end, in units of the weights
 * @param thinned objects that were evicted while their chunk stayed
 * @param unusableBlocks chunks that were resident on arrival, and not usable because an object of
 *     another group was missing
 */
public record GroupUse(List<Long> blocks, long thinned, long unusableBlocks) {

  /** Copies the list. */
  public GroupUse {
    blocks = List.copyOf(blocks);
  }
}
