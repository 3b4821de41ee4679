package dev.ebb.host.admin;

import org.jspecify.annotations.Nullable;

/**
 * The whole process in one document. Sizes are in bytes, times in seconds, ratios 0 to 1; what is
 * not known is null.
 *
 * @param server the process
 * @param policy who decides
 * @param pool the memory
 * @param keys what is in it
 * @param traffic what clients did
 * @param clients who they are
 * @param jvm the heap beside the pool
 */
record StatsDocument(
    Server server, Policy policy, Pool pool, Keys keys, Traffic traffic, Clients clients, Jvm jvm) {

  /**
   * The process.
   *
   * @param version Ebb's
   * @param time now, ISO 8601
   * @param uptimeSeconds since the start
   * @param ready whether new clients are taken
   */
  record Server(String version, String time, double uptimeSeconds, boolean ready) {}

  /**
   * Who decides.
   *
   * @param name the policy in force
   * @param configured the policy that was asked for; another one if that failed
   */
  record Policy(String name, String configured) {}

  /**
   * The memory.
   *
   * @param capacityBytes in all
   * @param usedBytes charged to values
   * @param occupancy the share in use
   * @param threshold above which eviction starts in the background
   * @param target at which it stops
   */
  record Pool(
      long capacityBytes, long usedBytes, double occupancy, double threshold, double target) {}

  /**
   * What is in it.
   *
   * @param count keys with a value
   * @param expiring those of them with a time to live
   */
  record Keys(long count, long expiring) {}

  /**
   * What clients did, since the start.
   *
   * @param hits values asked for and there
   * @param misses values asked for and not there
   * @param hitRatio hits of both; null before the first
   * @param creations values put
   * @param evicted entries evicted for room
   * @param expired keys whose time had come
   * @param notAdmitted values not kept for want of room
   */
  record Traffic(
      long hits,
      long misses,
      @Nullable Double hitRatio,
      long creations,
      long evicted,
      long expired,
      long notAdmitted) {}

  /**
   * Who they are.
   *
   * @param connections open ones
   * @param connectionsEver opened since the start
   * @param commands since the start
   */
  record Clients(int connections, long connectionsEver, long commands) {}

  /**
   * The heap beside the pool.
   *
   * @param heapUsedBytes in use, garbage included
   * @param heapMaxBytes what it may grow to
   * @param threads platform threads
   */
  record Jvm(long heapUsedBytes, long heapMaxBytes, int threads) {}
}
