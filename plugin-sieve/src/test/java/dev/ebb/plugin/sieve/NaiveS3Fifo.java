package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** S3-FIFO over array lists from tail to head, as its first algorithm is written down. */
final class NaiveS3Fifo implements BlockPolicy<NaiveS3Fifo.Item> {

  private final List<Item> residents = new ArrayList<>();
  private final List<Item> small = new ArrayList<>();
  private final List<Item> main = new ArrayList<>();
  private final Set<Long> ghosts = new LinkedHashSet<>();
  private final int blocksEach;
  private long capacity;

  NaiveS3Fifo(long capacityBlocks, int blocksEach) {
    this.blocksEach = blocksEach;
    resized(capacityBlocks);
  }

  static final class Item {
    private final Entry entry;
    private boolean inMain;
    private int frequency;

    private Item(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public Item inserted(Entry entry) {
    Item item = new Item(entry);
    item.inMain =
        ghosts.remove(entry.fingerprint())
            || (entry.origin() == Origin.HANDED_OVER && entry.accesses() >= 3);
    residents.add(item);
    queue(item).add(item);
    return item;
  }

  @Override
  public void accessed(Item item) {
    item.frequency = Math.min(3, item.frequency + 1);
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    // Those set aside are in neither list.
    boolean evictSmall = small.size() >= Math.max(1, capacity / 10);
    Item victim = evictSmall ? evictSmall() : evictMain();
    if (victim == null) {
      victim = evictSmall ? evictMain() : evictSmall();
    }
    if (victim == null) {
      victim = evictMain(); // S may have moved to M
    }
    return victim == null ? null : victim.entry;
  }

  private @Nullable Item evictSmall() {
    while (!small.isEmpty() && small.getFirst().frequency > 1) {
      Item item = small.removeFirst();
      item.inMain = true;
      item.frequency = 0;
      main.add(item);
    }
    return small.isEmpty() ? null : small.getFirst();
  }

  private @Nullable Item evictMain() {
    while (!main.isEmpty() && main.getFirst().frequency > 0) {
      Item item = main.removeFirst();
      item.frequency--;
      main.add(item);
    }
    return main.isEmpty() ? null : main.getFirst();
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    residents.remove(item);
    queue(item).remove(item);
    if (cause.forCapacity() && !item.inMain) {
      ghosts.add(item.entry.fingerprint());
    }
  }

  @Override
  public void ended(Request request) {
    while (ghosts.size() > (long) (0.9 * capacity)) {
      ghosts.remove(ghosts.iterator().next());
    }
  }

  @Override
  public void refused(Item item) {
    queue(item).remove(item);
  }

  @Override
  public void released(Item item) {
    queue(item).addFirst(item);
  }

  @Override
  public long size() {
    return residents.size();
  }

  @Override
  public void resized(long capacityBlocks) {
    capacity = capacityBlocks / blocksEach;
  }

  @Override
  public double score(Item item) {
    return item.frequency;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("main", (double) residents.stream().filter(item -> item.inMain).count());
  }

  private List<Item> queue(Item item) {
    return item.inMain ? main : small;
  }
}
