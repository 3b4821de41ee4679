package dev.ebb.host.replay.tiers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Memory and disk as plainly as they can be written: sets of paths, and maps to their times. */
final class NaiveTiers {

  /** When a path entered a cache, and when it was last used. */
  private record Times(int entered, int used) {}

  private final int memoryCapacity;
  private final int diskCapacity;
  private final boolean memoryByUse;
  private final boolean diskByUse;
  private final boolean secondUse;

  final Map<List<Long>, Times> memory = new LinkedHashMap<>();

  /** The paths of both. */
  private final Map<List<Long>, Times> either = new LinkedHashMap<>();

  final Set<List<Long>> disk = new LinkedHashSet<>();
  private final Map<List<Long>, Integer> uses = new HashMap<>();
  private final Set<List<Long>> evicted = new HashSet<>();
  private int time;
  int memoryHits;
  int diskHits;
  int written;

  NaiveTiers(
      int memoryCapacity,
      int diskCapacity,
      boolean memoryByUse,
      boolean diskByUse,
      boolean secondUse) {
    this.memoryCapacity = memoryCapacity;
    this.diskCapacity = diskCapacity;
    this.memoryByUse = memoryByUse;
    this.diskByUse = diskByUse;
    this.secondUse = secondUse;
  }

  void request(List<Long> ids) {
    List<List<Long>> path = new ArrayList<>();
    for (int i = 1; i <= ids.size(); i++) {
      path.add(List.copyOf(ids.subList(0, i)));
    }
    int inMemory = leading(path, memory.keySet());
    int usable = leading(path, either.keySet());
    memoryHits += inMemory;
    diskHits += usable - inMemory;
    Set<List<Long>> used = new HashSet<>(path.subList(0, usable));
    int held = inMemory;
    Set<List<Long>> pinned = new HashSet<>(path.subList(0, inMemory));
    List<List<Long>> demoted = new ArrayList<>();
    while (held < path.size()) {
      if (memory.size() == memoryCapacity) {
        List<Long> victim = coldest(memory, memoryByUse, pinned);
        if (victim == null) {
          break;
        }
        memory.remove(victim);
        demoted.add(victim);
      }
      memory.put(path.get(held), new Times(0, 0));
      pinned.add(path.get(held));
      held++;
    }
    Set<List<Long>> kept = new HashSet<>(memory.keySet());
    kept.addAll(used);
    kept.addAll(demoted);
    for (List<Long> block : demoted) {
      demote(block, kept);
      kept.remove(block);
    }
    for (int i = path.size() - 1; i >= 0; i--) {
      List<Long> block = path.get(i);
      time++;
      Times old = either.get(block);
      either.put(block, new Times(old == null ? time : old.entered, time));
      if (old == null) {
        uses.put(block, 0);
      }
      uses.merge(block, 1, Integer::sum);
      if (i < held) {
        Times times = memory.get(block);
        boolean fresh = times == null || times.entered == 0;
        memory.put(block, new Times(fresh ? time : times.entered, time));
      }
    }
    List<List<Long>> leftOut = path.subList(Math.max(usable, held), path.size()).reversed();
    kept = new HashSet<>(memory.keySet());
    kept.addAll(leftOut);
    for (List<Long> block : leftOut) {
      demote(block, kept);
      kept.remove(block);
    }
  }

  private static int leading(List<List<Long>> path, Set<List<Long>> of) {
    int count = 0;
    while (count < path.size() && of.contains(path.get(count))) {
      count++;
    }
    return count;
  }

  private void demote(List<Long> block, Set<List<Long>> kept) {
    if (disk.contains(block)) {
      return;
    }
    boolean parent = either.keySet().stream().anyMatch(other -> isChild(other, block));
    boolean before = !evicted.add(block);
    boolean admitted = !secondUse || parent || before || uses.get(block) > 1;
    if (admitted && disk.size() == diskCapacity) {
      List<Long> victim = coldest(either, diskByUse, kept);
      if (victim != null) {
        disk.remove(victim);
        either.remove(victim);
      }
    }
    if (admitted && disk.size() < diskCapacity) {
      disk.add(block);
      written++;
    } else {
      either.remove(block);
    }
  }

  private static @Nullable List<Long> coldest(
      Map<List<Long>, Times> among, boolean byUse, Set<List<Long>> kept) {
    List<Long> coldest = null;
    int lowest = Integer.MAX_VALUE;
    for (Map.Entry<List<Long>, Times> each : among.entrySet()) {
      int rank = byUse ? each.getValue().used : each.getValue().entered;
      if (rank < lowest
          && !kept.contains(each.getKey())
          && among.keySet().stream().noneMatch(other -> isChild(other, each.getKey()))) {
        coldest = each.getKey();
        lowest = rank;
      }
    }
    return coldest;
  }

  private static boolean isChild(List<Long> path, List<Long> parent) {
    return path.size() == parent.size() + 1 && path.subList(0, parent.size()).equals(parent);
  }

  /** Whether each path in a tier has all paths before it in one. */
  boolean isWhole() {
    return either.keySet().stream()
        .allMatch(path -> path.size() == 1 || either.containsKey(path.subList(0, path.size() - 1)));
  }
}
