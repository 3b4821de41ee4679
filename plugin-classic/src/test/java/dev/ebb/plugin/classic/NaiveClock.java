package dev.ebb.plugin.classic;

import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** CLOCK as a ring of pages with a hand that is an index. */
final class NaiveClock extends NaivePolicy {

  private final List<Item> ring = new ArrayList<>();
  private final int bits;
  private int hand;

  NaiveClock(long capacityBlocks, int blocksEach, int bits) {
    super(capacityBlocks, blocksEach);
    this.bits = bits;
  }

  @Override
  protected void admit(Item item) {
    item.uses = item.usedBefore() ? Math.min((1 << bits) - 1, item.entry.accesses() - 1) : 0;
    // Right behind the hand, so that the hand reaches it last.
    ring.add(hand++, item);
  }

  @Override
  public void accessed(Item item) {
    item.uses = Math.min((1 << bits) - 1, item.uses + 1);
  }

  @Override
  protected @Nullable Item choose() {
    if (ring.isEmpty()) {
      return null;
    }
    hand %= ring.size();
    while (ring.get(hand).uses > 0) {
      ring.get(hand).uses--;
      hand = (hand + 1) % ring.size();
    }
    return ring.get(hand);
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    residents.remove(item);
    take(item);
  }

  @Override
  public void refused(Item item) {
    item.aside = true;
    take(item);
  }

  @Override
  public void released(Item item) {
    item.aside = false;
    ring.add(hand, item);
  }

  private void take(Item item) {
    int index = ring.indexOf(item);
    if (index >= 0) {
      ring.remove(index);
      hand = index < hand ? hand - 1 : hand;
    }
  }

  @Override
  public double score(Item item) {
    return item.uses;
  }
}
