package dev.ebb.host.admin;

/**
 * One moment of the process, as {@link StatsDocument} told it. Counts are since the start.
 *
 * @param time ISO 8601
 * @param uptimeSeconds since the start
 * @param policy in force
 * @param occupancy the share of the pool in use
 * @param threshold above which eviction starts in the background
 * @param target at which it stops
 * @param hits values asked for and there
 * @param misses values asked for and not there
 * @param commands of all clients
 * @param notAdmitted values not kept for want of room
 * @param evicted entries evicted for room
 * @param background those of them evicted ahead of demand
 * @param demand those that somebody waited for
 * @param fallback those that the host chose by itself
 * @param expired keys whose time had come
 * @param regrets evicted entries that were asked for again
 * @param stored values whose storing was measured
 * @param storingSeconds what that took together
 * @param passes runs of evictions that were measured
 * @param evictingSeconds what they took together
 */
record HistoryPoint(
    String time,
    double uptimeSeconds,
    String policy,
    double occupancy,
    double threshold,
    double target,
    long hits,
    long misses,
    long commands,
    long notAdmitted,
    long evicted,
    long background,
    long demand,
    long fallback,
    long expired,
    long regrets,
    long stored,
    double storingSeconds,
    long passes,
    double evictingSeconds) {

  static HistoryPoint of(StatsDocument stats) {
    return new HistoryPoint(
        stats.server().time(),
        stats.server().uptimeSeconds(),
        stats.policy().name(),
        stats.pool().occupancy(),
        stats.pool().threshold(),
        stats.pool().target(),
        stats.traffic().hits(),
        stats.traffic().misses(),
        stats.clients().commands(),
        stats.traffic().notAdmitted(),
        stats.evictions().entries(),
        stats.evictions().background(),
        stats.evictions().demand(),
        stats.evictions().fallback(),
        stats.traffic().expired(),
        stats.evictions().regrets(),
        stats.latencies().storing().count(),
        stats.latencies().storing().seconds(),
        stats.latencies().evicting().count(),
        stats.latencies().evicting().seconds());
  }
}
