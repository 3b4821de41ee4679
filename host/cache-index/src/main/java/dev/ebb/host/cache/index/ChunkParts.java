package dev.ebb.host.cache.index;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.spi.NodeList;
import org.jspecify.annotations.Nullable;

/** The parts of a chunk of a hybrid model: the weight of the objects that it has of each group. */
public final class ChunkParts {

  /** A part of a group that does not need all chunks. As a node it is in the {@link PartOrder}. */
  static final class Part extends NodeList.Node<Part> {

    final CacheEntry entry;
    final int group;

    /** How much was ever cached when a request ended, branched off or went on here last. */
    long neededAt;

    /** Running requests that go on from here. */
    int holds;

    /** Of spare parts, those of a lower level go first. */
    int level;

    /** It is of a place that no request has needed yet. */
    boolean spare;

    Part(CacheEntry entry, int group, boolean spare) {
      this.entry = entry;
      this.group = group;
      this.spare = spare;
    }
  }

  private final ObjectGroups groups;
  private final int[] weights;
  private final @Nullable Part[] parts;

  /** A bit by group, set if the chunk has the part. */
  private long present;

  /** All parts that it will get have been stored, or one has been evicted. */
  boolean settled;

  /** Another node has sent it, which may have the chunks behind it. */
  boolean received;

  ChunkParts(CacheEntry entry, ObjectGroups groups, boolean spare) {
    this.groups = groups;
    weights = new int[groups.size()];
    parts = new Part[groups.size()];
    for (int group = 0; group < parts.length; group++) {
      parts[group] = groups.isFull(group) ? null : new Part(entry, group, spare);
    }
  }

  public ObjectGroups groups() {
    return groups;
  }

  public long present() {
    return present;
  }

  /** Returns whether it has the parts of all groups, so that a prompt may go on after it. */
  public boolean isWhole() {
    return present == ObjectGroups.mask(weights.length);
  }

  public boolean has(int group) {
    return (present >>> group & 1) != 0;
  }

  public int weight(int group) {
    return weights[group];
  }

  public boolean isSpare(int group) {
    Part part = group < parts.length ? parts[group] : null;
    return part != null && part.spare;
  }

  /** Returns the weight of the parts that stay as long as the chunk. */
  int fullWeight() {
    int weight = 0;
    for (int group = 0; group < weights.length; group++) {
      weight += groups.isFull(group) ? weights[group] : 0;
    }
    return weight;
  }

  @Nullable Part part(int group) {
    return parts[group];
  }

  /** Returns the part of a group that can be evicted alone; null if it cannot. */
  @Nullable Part evictable(int group) {
    Part part = group >= 0 && group < parts.length && has(group) ? parts[group] : null;
    return part == null || part.holds > 0 ? null : part;
  }

  void weigh(int group, int more) {
    weights[group] += more;
    present = weights[group] == 0 ? present & ~(1L << group) : present | 1L << group;
  }
}
