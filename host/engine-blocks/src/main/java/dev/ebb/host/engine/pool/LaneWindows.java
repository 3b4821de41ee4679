package dev.ebb.host.engine.pool;

import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many pages before the next token each lane group attends to. Where it is not all of them, the
 * blocks of a page are evicted one by one, and each weighs one in the cache; else a page does.
 */
public final class LaneWindows {

  /** By lane group; 0 for full attention. */
  private final int[] pages;

  private final boolean full;

  /** Creates windows; 0 for full attention. */
  public LaneWindows(int... pages) {
    this.pages = pages;
    full = Arrays.stream(pages).allMatch(window -> window == 0);
  }

  public static LaneWindows none(int laneGroups) {
    return new LaneWindows(new int[laneGroups]);
  }

  /** Returns the windows of a model, in tokens by lane group; 0 for full attention. */
  public static LaneWindows of(List<Integer> tokens, int blockTokens) {
    return new LaneWindows(
        tokens.stream().mapToInt(window -> Math.ceilDiv(window, blockTokens)).toArray());
  }

  public int groups() {
    return pages.length;
  }

  /** Returns whether all lane groups attend to all tokens. */
  public boolean areFull() {
    return full;
  }

  /** Returns whether a lane group attends to all tokens. */
  public boolean isFull(int group) {
    return pages[group] == 0;
  }

  /** Returns the first page that a lane group needs to go on after so many. */
  public int first(int group, int end) {
    return isFull(group) ? 0 : Math.max(0, end - pages[group]);
  }

  /** Returns how many blocks weigh one in the cache. */
  public int unit() {
    return full ? pages.length : 1;
  }

  /** Returns the groups of a page's blocks; null if all are evicted together. */
  public @Nullable SizedGroups sized() {
    if (full) {
      return null;
    }
    List<ObjectGroup> groups = Arrays.stream(pages).mapToObj(LaneWindows::group).toList();
    return new SizedGroups(new ObjectGroups(groups), Collections.nCopies(pages.length, 1));
  }

  private static ObjectGroup group(int window) {
    return window == 0 ? ObjectGroup.FULL : ObjectGroup.window(window);
  }
}
