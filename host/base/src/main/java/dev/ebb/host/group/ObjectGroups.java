package dev.ebb.host.group;

import dev.ebb.host.errors.UserError;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The object groups of a model: a chunk of a prompt has one object for each. A prompt can be reused
 * up to a point if every group has what it needs before that point: the <em>usable prefix</em> ends
 * at the last such point.
 *
 * <p>vLLM calls them KV cache groups, LMCache object groups.
 */
public final class ObjectGroups {

  /** The most groups of a model. */
  public static final int MOST = 64;

  /** Chunks in the largest window. */
  private static final int LARGEST_WINDOW = 1 << 20;

  /** All chunks of one group of full attention: a model that is not hybrid. */
  public static final ObjectGroups ONE = new ObjectGroups(List.of(ObjectGroup.FULL));

  private final List<ObjectGroup> groups;
  private final int[] windows;
  private final long fullMask;

  /** Creates groups, in the order of their numbers; at most {@value #MOST}. */
  public ObjectGroups(List<ObjectGroup> groups) {
    if (groups.isEmpty() || groups.size() > MOST) {
      throw new IllegalArgumentException("'%d' groups".formatted(groups.size()));
    }
    this.groups = List.copyOf(groups);
    windows = groups.stream().mapToInt(ObjectGroup::window).toArray();
    long full = 0;
    for (int group = 0; group < windows.length; group++) {
      full |= windows[group] == 0 ? 1L << group : 0;
    }
    fullMask = full;
  }

  /** Parses groups without weights, such as {@code state,full}; the name is for messages. */
  public static ObjectGroups parse(String name, String text) {
    return of(name, text, Arrays.stream(text.split(",", -1)).map(String::strip).toList());
  }

  private static ObjectGroups of(String name, String text, List<String> kinds) {
    if (kinds.size() > MOST) {
      throw new UserError("%s: '%s' has more than %d groups".formatted(name, text, MOST));
    }
    ObjectGroups groups =
        new ObjectGroups(kinds.stream().map(kind -> parse(name, text, kind)).toList());
    if (groups.fullMask == 0) {
      throw new UserError(
          "%s: '%s' has no group 'full'; a model needs one, such as full,state"
              .formatted(name, text));
    }
    return groups;
  }

  /** Parses groups with weights, such as {@code full:1,state:3} or {@code full:1,window=4:2}. */
  public static SizedGroups parseSized(String name, String text) {
    List<String> parts = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    List<Integer> weights =
        parts.stream()
            .map(part ->
                part.contains(":")
                    ? number(name, text, part.split(":", 2)[1], SizedGroups.LARGEST_WEIGHT)
                    : 1)
            .toList();
    List<String> kinds = parts.stream().map(part -> part.split(":", 2)[0]).toList();
    return new SizedGroups(of(name, text, kinds), weights);
  }

  private static ObjectGroup parse(String name, String text, String part) {
    if (part.equals("full")) {
      return ObjectGroup.FULL;
    }
    if (part.equals("state")) {
      return ObjectGroup.STATE;
    }
    if (part.startsWith("window=")) {
      return ObjectGroup.window(
          number(name, text, part.substring("window=".length()), LARGEST_WINDOW));
    }
    throw new UserError(
        "%s: '%s' in '%s' is no kind of group; use full, state or window=CHUNKS"
            .formatted(name, part, text));
  }

  private static int number(String name, String text, String part, int most) {
    try {
      int number = Integer.parseInt(part.strip());
      if (number >= 1 && number <= most) {
        return number;
      }
    } catch (NumberFormatException wrong) {
      // Reported below.
    }
    throw new UserError(
        "%s: '%s' in '%s' must be a whole number from 1 to %d".formatted(name, part, text, most));
  }

  public int size() {
    return windows.length;
  }

  public ObjectGroup get(int group) {
    return groups.get(group);
  }

  /** Returns whether each chunk of a prompt needs all its objects. */
  public boolean areFull() {
    return fullMask == mask(windows.length);
  }

  public boolean isFull(int group) {
    return windows[group] == 0;
  }

  /** Returns the number of the first group that needs all chunks; 0 if there is none. */
  public int firstFull() {
    return fullMask == 0 ? 0 : Long.numberOfTrailingZeros(fullMask);
  }

  /** Returns a bit for each group that needs all chunks of a prompt. */
  public long fullMask() {
    return fullMask;
  }

  /** Returns how many chunks before the point of reuse a group needs; 0 if all. */
  public int window(int group) {
    return windows[group];
  }

  /** Returns a bit for each of the first groups. */
  public static long mask(int groups) {
    return -1L >>> (Long.SIZE - groups);
  }

  /**
   * Returns the length of the usable prefix of chunks with a bit for each group that is present.
   */
  public int usable(long[] present, int chunks) {
    int reach = 0;
    while (reach < chunks && (present[reach] & fullMask) == fullMask) {
      reach++;
    }
    while (reach > 0 && !isUsable(present, reach)) {
      reach--;
    }
    return reach;
  }

  private boolean isUsable(long[] present, int point) {
    for (int group = 0; group < windows.length; group++) {
      for (int i = Math.max(0, point - windows[group]); i < point; i++) {
        if ((present[i] >>> group & 1) == 0) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ObjectGroups same && groups.equals(same.groups);
  }

  @Override
  public int hashCode() {
    return groups.hashCode();
  }

  @Override
  public String toString() {
    return groups.stream().map(ObjectGroup::toString).collect(Collectors.joining(","));
  }
}
