package dev.ebb.host.cache.index;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.ChunkParts.Part;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PartChoice;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The order in which parts of chunks leave before whole chunks do: those that only a prompt which
 * branches off right there could use. No policy is asked for them.
 *
 * <p>A part is <em>needed</em> if a request has ended, branched off or gone on there; it stays as
 * long as its chunk, but not longer than it takes to fill the cache twice. All others are
 * <em>spare</em>. Of these, every second one goes first, then every second one of the rest, and so
 * on, so that what is left is spread evenly over each prompt; the oldest go first.
 */
public final class PartOrder {

  private final List<NodeList<Part>> spare =
      IntStream.range(0, Integer.SIZE).mapToObj(level -> new NodeList<Part>()).toList();
  private final NodeList<Part> needed = new NodeList<>();

  /** A bit by level, set if there are spare parts. */
  private int levels;

  /** How much was ever cached, spare parts aside. */
  private long written;

  void wrote(long blocks) {
    written += blocks;
  }

  /** Returns the part to evict next; null if a whole chunk is to be evicted. */
  @Nullable Part next(long capacity) {
    if (levels != 0) {
      return spare.get(Integer.numberOfTrailingZeros(levels)).cold();
    }
    Part oldest = needed.cold();
    while (oldest != null && written - oldest.neededAt > 2 * capacity) {
      if (oldest.entry.children > 0) {
        return oldest;
      }
      // The last chunk of a prompt is useless without it: the policy decides on both.
      needed.remove(oldest);
      oldest = needed.cold();
    }
    return null;
  }

  /** Proposes that part, or none. Returns false if there are no parts. */
  boolean propose(long capacity, PartChoice choice) {
    Part next = next(capacity);
    if (next == null) {
      choice.none();
    } else {
      choice.set(next.entry, next.group);
    }
    return levels != 0 || !needed.isEmpty();
  }

  /** Returns the spare part that a new one of this place may replace; null if there is none. */
  @Nullable Part worseThan(CacheEntry entry, ObjectGroups groups, int group) {
    int lowest = Integer.numberOfTrailingZeros(levels);
    return levels != 0 && lowest <= level(entry, groups, group) ? spare.get(lowest).cold() : null;
  }

  /** Ranks a part, which is in use now, behind all spare ones. */
  void later(Part part) {
    spare(part, spare.size() - 1);
  }

  void spare(Part part, ObjectGroups groups) {
    spare(part, level(part.entry, groups, part.group));
  }

  private void spare(Part part, int level) {
    remove(part);
    part.level = level;
    spare.get(level).addHot(part);
    levels |= 1 << level;
  }

  /** Ranks a part as needed now. */
  void needed(Part part, ChunkParts of) {
    written += isNeeded(part) ? 0 : of.weight(part.group);
    remove(part);
    part.neededAt = written;
    needed.addHot(part);
  }

  boolean isNeeded(Part part) {
    return part.list() == needed;
  }

  /** Removes a part from the order, if it is there: it is gone, or a request goes on from it. */
  void remove(Part part) {
    NodeList<Part> list = part.list();
    if (list == null) {
      return;
    }
    list.remove(part);
    if (list != needed && list.isEmpty()) {
      levels &= ~(1 << part.level);
    }
  }

  /** Makes an entry a chunk of a hybrid model without known parts; null if it is not hybrid. */
  public void regroup(CacheEntry entry, @Nullable ObjectGroups groups) {
    removeAll(entry);
    // Where prompts end or branch off, its parts are needed.
    entry.parts(groups, entry.announced && entry.children == 1);
  }

  /** Records that a part of a chunk of a hybrid model weighs more, or less. */
  public void weighPart(CacheEntry entry, int group, int more) {
    ChunkParts of = requireNonNull(entry.parts());
    if (group >= of.groups().size()) {
      return;
    }
    of.weigh(group, more);
    Part part = of.part(group);
    if (part == null || part.holds > 0) {
      return;
    }
    if (!of.has(group)) {
      remove(part);
    } else if (entry.announced && part.list() == null) {
      rank(part, of);
    }
  }

  /**
   * Ranks the parts of a chunk that another node has sent, and whose prompts are not known here:
   * where they seem to end or branch off, its parts are needed.
   */
  public void rankReceived(CacheEntry entry) {
    ChunkParts of = entry.parts();
    if (of == null) {
      return;
    }
    of.received = true;
    for (int group = 0; group < of.groups().size(); group++) {
      Part part = of.part(group);
      if (part != null && part.holds == 0) {
        part.spare = entry.children == 1;
        rank(part, of);
      }
    }
  }

  private void rank(Part part, ChunkParts of) {
    if (!of.has(part.group)) {
      return;
    }
    if (part.spare) {
      spare(part, of.groups());
    } else {
      needed(part, of);
    }
  }

  void removeAll(CacheEntry entry) {
    ChunkParts of = entry.parts;
    for (int group = 0; of != null && group < of.groups().size(); group++) {
      Part part = of.part(group);
      if (part != null) {
        remove(part);
      }
    }
  }

  /** How often the number of its window, counted from 1, can be halved. */
  private static int level(CacheEntry entry, ObjectGroups groups, int group) {
    return Integer.numberOfTrailingZeros(entry.depth() / groups.window(group) + 1);
  }
}
