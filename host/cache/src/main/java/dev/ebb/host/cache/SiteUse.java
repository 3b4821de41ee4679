package dev.ebb.host.cache;

import java.util.List;
import java.util.Map;

/**
 * How a {@link PolicySite} is used, for rules. Counts are since the start. What is requested counts
 * in values or in blocks, as the site does.
 *
 * @param places the memory of each place
 * @param evictedBytes pool memory of entries that were evicted
 * @param requested what was requested
 * @param prematureEvictions how much of that had been evicted before
 * @param models how much of that was requested for each model
 * @param tenants how much of that was requested for each tenant
 */
public record SiteUse(
    List<Place> places,
    long evictedBytes,
    long requested,
    long prematureEvictions,
    Map<String, Long> models,
    Map<String, Long> tenants) {

  /** Copies the list and the maps. */
  public SiteUse {
    places = List.copyOf(places);
    models = Map.copyOf(models);
    tenants = Map.copyOf(tenants);
  }

  /**
   * The memory of one place.
   *
   * @param name the place's name
   * @param usedBytes bytes in use
   * @param capacityBytes bytes it has
   */
  public record Place(String name, long usedBytes, long capacityBytes) {

    /**
     * Returns the share in use.
     *
     * @return 0 to 1
     */
    public double occupancy() {
      return (double) usedBytes / capacityBytes;
    }
  }

  /**
   * Returns the memory of all places.
   *
   * @return a place that stands for all of them
   */
  public Place whole() {
    return new Place(
        "all",
        places.stream().mapToLong(Place::usedBytes).sum(),
        places.stream().mapToLong(Place::capacityBytes).sum());
  }
}
