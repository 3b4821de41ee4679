package dev.ebb.host.store.key;

import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.group.ObjectGroups;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Learns the kinds of a model's object groups from what clients read of prompts: all chunks of a
 * group that needs all, and the same number of last chunks of another one. A read that does not fit
 * refutes what was learned, and more prompts are needed from then on. Not thread-safe.
 */
final class LearnedGroups {

  /** So many prompts must show that a group needs the last chunks only. */
  private static final int ENOUGH = 8;

  private static final int MOST = 1 << 12;

  /** Of a group that needs the last chunks, at most every so many prompts show other ones. */
  private static final int ODD = 4;

  private final int[] windows = new int[ObjectGroups.MOST];

  /** Of how many prompts only the window was read, by group. */
  private final int[] shown = new int[ObjectGroups.MOST];

  /** The most chunks of a prompt that were all read, by group. */
  private final int[] whole = new int[ObjectGroups.MOST];

  /** Of how many prompts as many others were read, by group. */
  private final int[] odd = new int[ObjectGroups.MOST];

  private int enough = ENOUGH;
  private int prompts;
  private @Nullable ObjectGroups groups;

  @Nullable ObjectGroups groups() {
    return groups;
  }

  int prompts() {
    return prompts;
  }

  /**
   * Learns from the positions of the chunks of a prompt that were read, by group; returns whether
   * the groups have changed.
   */
  boolean observe(List<BitSet> reads) {
    BitSet any = new BitSet();
    reads.forEach(any::or);
    if (any.cardinality() < 2) {
      return false;
    }
    prompts++;
    for (int group = 0; group < reads.size(); group++) {
      BitSet read = reads.get(group);
      if (!read.isEmpty() && !fits(group, read, any)) {
        return refuted();
      }
    }
    ObjectGroups known = groups;
    groups = verdict(reads.size());
    return !Objects.equals(groups, known);
  }

  private boolean fits(int group, BitSet read, BitSet any) {
    int count = read.cardinality();
    if (count == any.cardinality()) {
      whole[group] = Math.max(whole[group], count);
      return shown[group] == 0 || count <= windows[group];
    }
    boolean same = shown[group] == 0 || windows[group] == count;
    if (isEnd(read, any)) {
      shown[group]++;
      windows[group] = count;
    } else {
      // The order of a prompt is not always known.
      odd[group]++;
    }
    return same && whole[group] <= count && ODD * odd[group] <= shown[group] + enough;
  }

  /** Returns whether what was read of a group are the last chunks of those that were read. */
  private static boolean isEnd(BitSet read, BitSet any) {
    return any.get(read.nextSetBit(0), any.length()).cardinality() == read.cardinality();
  }

  private boolean refuted() {
    boolean known = groups != null;
    Arrays.fill(shown, 0);
    Arrays.fill(odd, 0);
    Arrays.fill(whole, 0);
    enough = Math.min(MOST, 2 * enough);
    prompts = 0;
    groups = null;
    return known;
  }

  /** Returns the groups if enough prompts have shown one that does not need all chunks. */
  private @Nullable ObjectGroups verdict(int seen) {
    int known = groups == null ? 0 : groups.size();
    int count = Math.max(seen, known);
    boolean full = false;
    boolean windowed = false;
    for (int group = 0; group < count; group++) {
      boolean window = shown[group] > 0;
      if (window && shown[group] < enough) {
        return groups;
      }
      windowed |= window;
      full |= !window && whole[group] > 1;
    }
    return full && windowed
        ? new ObjectGroups(IntStream.range(0, count).mapToObj(this::kind).toList())
        : groups;
  }

  private ObjectGroup kind(int group) {
    if (shown[group] == 0) {
      return ObjectGroup.FULL;
    }
    return windows[group] == 1 ? ObjectGroup.STATE : ObjectGroup.window(windows[group]);
  }
}
