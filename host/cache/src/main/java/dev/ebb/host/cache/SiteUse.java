package dev.ebb.host.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The use of a {@link PolicySite}, for rules. Counts are since the start, in values or in blocks,
 * as the site counts.
 *
 * @param prematureEvictions requests for evicted entries
 * @param prefixLookups chunks of prompts, as far as their order is known
 * @param prefixHits those of them that were resident with all before them
 * @param waiting requests that wait now: for memory, or in the scheduler of an engine
 */
public record SiteUse(
    List<Place> places,
    long evictedBytes,
    long requested,
    long prematureEvictions,
    long prefixLookups,
    long prefixHits,
    long waiting,
    Map<String, Long> models,
    Map<String, Long> tenants) {

  public SiteUse {
    places = List.copyOf(places);
    models = Map.copyOf(models);
    tenants = Map.copyOf(tenants);
  }

  /** The memory of one place. */
  public record Place(String name, long usedBytes, long capacityBytes) {

    /** Returns the share in use, 0 to 1. */
    public double occupancy() {
      return (double) usedBytes / capacityBytes;
    }
  }

  /** Returns the use of two sites together. */
  public SiteUse plus(SiteUse other) {
    List<Place> both = new ArrayList<>(places);
    both.addAll(other.places);
    return new SiteUse(
        both,
        evictedBytes + other.evictedBytes,
        requested + other.requested,
        prematureEvictions + other.prematureEvictions,
        prefixLookups + other.prefixLookups,
        prefixHits + other.prefixHits,
        waiting + other.waiting,
        sum(models, other.models),
        sum(tenants, other.tenants));
  }

  private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other) {
    Map<String, Long> sum = new HashMap<>(one);
    other.forEach((name, count) -> sum.merge(name, count, Long::sum));
    return sum;
  }

  /** Returns the memory of all places together. */
  public Place whole() {
    return new Place(
        "all",
        places.stream().mapToLong(Place::usedBytes).sum(),
        places.stream().mapToLong(Place::capacityBytes).sum());
  }
}
