package dev.ebb.host.cache.index;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.ChunkParts.Part;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The steps of a request of a hybrid model, as far as they concern the parts of its chunks. */
final class GroupSteps {

  private final CacheState state;
  private long[] present = new long[64];

  GroupSteps(CacheState state) {
    this.state = state;
  }

  /** Returns the usable prefix of a request, and keeps the parts from which it goes on. */
  int begin(CacheRequest request, int resident) {
    ObjectGroups groups = requireNonNull(request.groups).groups();
    fill(resident, i -> request.path[i]);
    request.end = request.blocks();
    int usable = groups.usable(present, resident);
    state.counters.unusable += resident - usable;
    for (int group = 0; group < groups.size(); group++) {
      for (int i = Math.max(0, usable - groups.window(group)); i < usable; i++) {
        Part part = part(request, i, group);
        if (part != null) {
          part.holds++;
          state.parts.remove(part);
        }
      }
    }
    return usable;
  }

  private static @Nullable Part part(CacheRequest request, int index, int group) {
    ChunkParts parts = request.path[index].parts();
    return parts == null || !parts.has(group) ? null : parts.part(group);
  }

  /** Returns the weight of a new chunk, without spare parts. */
  int weight(CacheRequest request, int index) {
    SizedGroups sized = requireNonNull(request.groups);
    int weight = 0;
    for (int group = 0; group < sized.groups().size(); group++) {
      weight += isNeeded(request, index, group) ? sized.weights().get(group) : 0;
    }
    return weight;
  }

  /** Returns the room for a new chunk: it may become the last one, whose parts are all needed. */
  int room(CacheRequest request, int index) {
    SizedGroups sized = requireNonNull(request.groups);
    int room = weight(request, index);
    for (int group = 0; index < request.end - 2 && group < sized.groups().size(); group++) {
      room += sized.groups().window(group) * sized.weights().get(group);
    }
    return room;
  }

  long missing(CacheRequest request, int blocks) {
    long missing = 0;
    for (int i = request.matched; i < blocks; i++) {
      missing += i < request.held ? missingParts(request, i) : weight(request, i);
    }
    return missing;
  }

  private long missingParts(CacheRequest request, int index) {
    SizedGroups sized = requireNonNull(request.groups);
    long missing = 0;
    for (int group = 0; group < sized.groups().size(); group++) {
      missing += lacks(request, index, group, true) ? sized.weights().get(group) : 0;
    }
    return missing;
  }

  private static boolean lacks(CacheRequest request, int index, int group, boolean needed) {
    ChunkParts parts = request.path[index].parts();
    return parts != null && !parts.has(group) && isNeeded(request, index, group) == needed;
  }

  /**
   * Returns whether a prompt that goes on from the end of a request, the chunk before it, or where
   * the request branched off or went on itself, needs a part. The chunk before the end is there
   * because engines compute the last token of a prompt in any case.
   */
  private static boolean isNeeded(CacheRequest request, int index, int group) {
    return isNeeded(request, index, requireNonNull(request.groups).groups(), group);
  }

  private static boolean isNeeded(CacheRequest request, int index, ObjectGroups groups, int group) {
    int window = groups.window(group);
    int end = request.end;
    return window == 0
        || isBefore(index, end, window)
        || isBefore(index, end - 1, window)
        || isBefore(index, request.promptEnd, window)
        || isBefore(index, request.resident, window)
        || isBefore(index, request.matched, window);
  }

  private static boolean isBefore(int index, int point, int window) {
    return index < point && index >= point - window;
  }

  /** Gives a new chunk the parts that it needs. */
  void make(CacheRequest request, int index) {
    CacheEntry entry = request.path[index];
    SizedGroups sized = requireNonNull(request.groups);
    entry.parts(sized.groups(), false);
    ChunkParts parts = requireNonNull(entry.parts());
    entry.blocks = 0;
    for (int group = 0; group < sized.groups().size(); group++) {
      if (isNeeded(request, index, group)) {
        int weight = sized.weights().get(group);
        parts.weigh(group, weight);
        entry.blocks += weight;
      }
    }
  }

  /** Adds the parts that held chunks need, front to back, as far as there is room. */
  void addNeeded(CacheRequest request) {
    for (int i = request.matched; i < request.held; i++) {
      addParts(request, i, true);
    }
  }

  /**
   * Adds the parts that the last chunk needs, if not all have found room, and the spare parts for
   * which there is room, or whose place in a prompt is better.
   */
  void addRest(CacheRequest request) {
    if (request.held < request.end) {
      request.end = request.held;
      addNeeded(request);
    }
    for (int i = request.held - 1; i >= request.matched; i--) {
      addParts(request, i, false);
    }
  }

  private void addParts(CacheRequest request, int index, boolean needed) {
    SizedGroups sized = requireNonNull(request.groups);
    CacheEntry entry = request.path[index];
    for (int group = 0; group < sized.groups().size(); group++) {
      int weight = sized.weights().get(group);
      if (weight > 0
          && lacks(request, index, group, needed)
          && (state.missing(weight) <= 0
              || (!needed && replaces(entry, sized.groups(), group, weight)))) {
        ChunkParts parts = requireNonNull(entry.parts());
        parts.weigh(group, weight);
        state.weigh(entry, weight);
        if (!needed) {
          state.parts.spare(requireNonNull(parts.part(group)), sized.groups());
        }
      }
    }
  }

  /** Makes room for a spare part by evicting others; returns whether there is room now. */
  private boolean replaces(CacheEntry entry, ObjectGroups groups, int group, int weight) {
    while (state.missing(weight) > 0) {
      if (state.policyName.equals(NoEviction.NAME)) {
        return false;
      }
      Part worse = state.parts.worseThan(entry, groups, group);
      if (worse == null || state.dropPart(worse, EvictedBy.DEMAND) == 0) {
        return false;
      }
    }
    return true;
  }

  /** Ranks the parts of a request that has ended. */
  void finish(CacheRequest request) {
    for (int i = 0; i < request.held; i++) {
      ChunkParts parts = request.path[i].parts();
      if (parts != null) {
        parts.settled = true;
      }
    }
    rank(request);
    if (request.held > 0) {
      state.dropUseless(request.path[request.held - 1], EvictedBy.BACKGROUND);
    }
  }

  /** Ranks the parts of a request whose chunks are objects; some may come later. */
  void complete(CacheRequest request) {
    if (request.held == 0 || request.path[0].parts() == null) {
      return;
    }
    request.end = request.held;
    for (int i = 0; i < request.held; i++) {
      CacheEntry entry = request.path[i];
      ChunkParts parts = entry.parts();
      if (parts != null && entry.accesses > 1) {
        parts.settled = true;
      }
    }
    rank(request);
  }

  /** Ranks the parts of a request, the deepest first. */
  private void rank(CacheRequest request) {
    for (int i = request.held - 1; i >= 0; i--) {
      ChunkParts parts = request.path[i].parts();
      for (int group = 0; parts != null && group < parts.groups().size(); group++) {
        Part part = parts.part(group);
        if (part != null) {
          rank(request, i, parts, part);
        }
      }
    }
  }

  private void rank(CacheRequest request, int index, ChunkParts parts, Part part) {
    ObjectGroups groups = parts.groups();
    if (part.holds > 0 && isBefore(index, request.matched, groups.window(part.group))) {
      part.holds--;
    }
    boolean needed = isNeeded(request, index, groups, part.group);
    boolean spare = !needed && index >= request.matched && !state.parts.isNeeded(part);
    part.spare = spare || (part.spare && !needed);
    if (part.holds > 0 || !parts.has(part.group)) {
      return;
    }
    if (needed) {
      state.parts.needed(part, parts);
    } else if (spare) {
      state.parts.spare(part, groups);
    }
  }

  /** Returns the usable prefix of chunks that are objects, front to back. */
  int usable(List<CacheEntry> path) {
    ChunkParts first = path.isEmpty() ? null : path.getFirst().parts();
    if (first == null) {
      return path.size();
    }
    fill(path.size(), path::get);
    return first.groups().usable(present, path.size());
  }

  private void fill(int chunks, IntFunction<CacheEntry> entry) {
    if (present.length < chunks) {
      present = new long[Math.max(chunks, 2 * present.length)];
    }
    for (int i = 0; i < chunks; i++) {
      ChunkParts parts = entry.apply(i).parts();
      present[i] = parts == null ? 0 : parts.present();
    }
  }
}
