package dev.ebb.host.admin;

import org.jspecify.annotations.Nullable;

/**
 * One moment of the process, as {@link StatsDocument} told it. Counts are since the start.
 *
 * @param time ISO 8601
 * @param occupancy the share of the pool in use
 * @param threshold above which eviction starts in the background
 * @param notAdmitted values not kept for want of room
 * @param background those of them evicted ahead of demand
 * @param fallback those that the host chose by itself
 * @param prematureEvictions evicted entries that were asked for again
 * @param readingP50 seconds that half of the values took at most to be handed out, in this step;
 *     null if none was, as below
 * @param readingP99 the same of 99 in a hundred
 * @param storingP50 seconds that half of the values took at most to be stored
 * @param storingP99 the same of 99 in a hundred
 * @param evictingP99 seconds that 99 of a hundred runs of evictions took at most
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
    long prematureEvictions,
    @Nullable Double readingP50,
    @Nullable Double readingP99,
    @Nullable Double storingP50,
    @Nullable Double storingP99,
    @Nullable Double evictingP99) {

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
        stats.evictions().prematureEvictions(),
        stats.latencies().reading().p50(),
        stats.latencies().reading().p99(),
        stats.latencies().storing().p50(),
        stats.latencies().storing().p99(),
        stats.latencies().evicting().p99());
  }
}
