package dev.ebb.host.replay;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The prefix model, least recently used leaf first, as plainly as it can be written: a map from
 * path to the time of its last use.
 */
final class NaivePrefixCache {

  private final int capacity;
  private final Map<List<Long>, Integer> lastUse = new LinkedHashMap<>();
  private final Set<List<Long>> evicted = new HashSet<>();
  private int time;
  private long askedAgain;
  private long evictions;

  NaivePrefixCache(int capacity) {
    this.capacity = capacity;
  }

  long askedAgain() {
    return askedAgain;
  }

  long evictions() {
    return evictions;
  }

  /** Leading resident blocks. */
  int request(List<Long> ids) {
    List<List<Long>> path = new ArrayList<>();
    for (int i = 1; i <= ids.size(); i++) {
      path.add(List.copyOf(ids.subList(0, i)));
    }
    int matched = 0;
    while (matched < path.size() && lastUse.containsKey(path.get(matched))) {
      matched++;
    }
    for (List<Long> missed : path.subList(matched, path.size())) {
      if (evicted.remove(missed)) {
        askedAgain++;
      }
    }
    Set<List<Long>> pinned = new HashSet<>(path.subList(0, matched));
    int kept = matched;
    while (kept < path.size() && (lastUse.size() < capacity || evictOne(pinned))) {
      lastUse.put(path.get(kept), Integer.MAX_VALUE);
      pinned.add(path.get(kept));
      kept++;
    }
    for (int i = kept - 1; i >= 0; i--) {
      lastUse.put(path.get(i), time++);
    }
    return matched;
  }

  private boolean evictOne(Set<List<Long>> pinned) {
    List<Long> oldest = null;
    int oldestUse = Integer.MAX_VALUE;
    for (Map.Entry<List<Long>, Integer> entry : lastUse.entrySet()) {
      if (entry.getValue() < oldestUse
          && !pinned.contains(entry.getKey())
          && isLeaf(entry.getKey())) {
        oldest = entry.getKey();
        oldestUse = entry.getValue();
      }
    }
    if (oldest == null) {
      return false;
    }
    lastUse.remove(oldest);
    evicted.add(oldest);
    evictions++;
    return true;
  }

  private boolean isLeaf(List<Long> path) {
    return lastUse.keySet().stream()
        .noneMatch(
            other -> other.size() == path.size() + 1 && other.subList(0, path.size()).equals(path));
  }
}
