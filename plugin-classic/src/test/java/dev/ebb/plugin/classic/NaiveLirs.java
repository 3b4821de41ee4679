package dev.ebb.plugin.classic;

import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** LIRS with the paper's stack S from bottom to top, which is pruned after every step. */
final class NaiveLirs extends NaivePolicy {

  /** An entry of S. Those without an item are not resident. */
  private record Page(long fingerprint, @Nullable Item item) {}

  private final List<Page> stack = new ArrayList<>();
  private final List<Item> lirs = new ArrayList<>();
  private final List<Item> queue = new ArrayList<>();
  // Evicted pages that were in S, oldest first; some may have been pruned since.
  private final Set<Long> ghosts = new LinkedHashSet<>();
  private long ghostBound;
  private boolean filling = true;

  NaiveLirs(long capacityBlocks, int blocksEach) {
    super(capacityBlocks, blocksEach);
    ghostBound = (long) Math.ceil(capacityBlocks * 1.25) + 1;
  }

  @Override
  protected void admit(Item item) {
    boolean known = stack.removeIf(page -> page.fingerprint == item.fingerprint());
    ghosts.remove(item.fingerprint());
    boolean first = count(lirs) == 0 || (filling && count(lirs) < lirTarget());
    boolean low = first || known || item.usedBefore();
    stack.add(new Page(item.fingerprint(), item));
    move(item, low ? lirs : queue);
    balance();
  }

  @Override
  public void accessed(Item item) {
    boolean known = stack.removeIf(page -> page.item == item);
    stack.add(new Page(item.fingerprint(), item));
    move(item, known ? lirs : item.list);
    balance();
  }

  private void balance() {
    while (count(lirs) > lirTarget()) {
      move(bottom(), queue);
    }
    prune();
  }

  private Item bottom() {
    return stack.stream()
        .map(Page::item)
        .filter(item -> item != null && item.list == lirs)
        .map(Objects::requireNonNull)
        .findFirst()
        .orElseThrow();
  }

  private void prune() {
    while (!stack.isEmpty()
        && (stack.getFirst().item == null || stack.getFirst().item.list != lirs)) {
      stack.removeFirst();
    }
  }

  private long lirTarget() {
    return capacity - Math.max(1, capacity / 100);
  }

  @Override
  protected @Nullable Item choose() {
    filling = false;
    Item front = coldest(queue);
    while (front == null && count(lirs) > 0) {
      move(bottom(), queue);
      front = coldest(queue);
    }
    prune();
    return front;
  }

  @Override
  protected void evicted(Item item) {
    int index = stack.indexOf(new Page(item.fingerprint(), item));
    if (item.list == queue && index >= 0) {
      stack.set(index, new Page(item.fingerprint(), null));
      ghosts.add(item.fingerprint());
      forget(ghostBound);
    }
  }

  private void forget(long limit) {
    while (ghosts.size() > limit) {
      long oldest = ghosts.iterator().next();
      ghosts.remove(oldest);
      stack.removeIf(page -> page.item == null && page.fingerprint == oldest);
    }
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    super.removed(item, cause);
    stack.removeIf(page -> page.item == item);
    prune();
  }

  @Override
  public void ended(Request request) {
    forget(capacity);
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    ghostBound = (long) Math.ceil(capacityBlocks * 1.25) + 1;
    forget(ghostBound);
    filling = true;
    balance();
  }

  @Override
  public double score(Item item) {
    return item.list == lirs ? 2 : 1;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "lir", (double) count(lirs),
        "hir", (double) count(queue),
        "ghosts", (double) ghosts.size());
  }
}
