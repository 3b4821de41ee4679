package dev.ebb.host.admin.entries;

import dev.ebb.host.cache.stats.EvictionPass;
import dev.ebb.host.http.View;
import java.time.Instant;

/**
 * An eviction run.
 *
 * @param time when it ended, ISO 8601
 * @param askedBytes bytes to free
 * @param freedBytes bytes freed; fewer than requested if nothing more could be evicted
 * @param before bytes occupied before
 * @param after bytes occupied after
 */
public record PassDocument(
    String time,
    String policy,
    String by,
    String reason,
    long askedBytes,
    long freedBytes,
    long entries,
    long refused,
    long before,
    long after,
    double seconds) {

  static PassDocument of(EvictionPass pass) {
    return View.of(PassDocument.class, pass)
        .with("time", Instant.ofEpochMilli(pass.wallMillis()))
        .with("seconds", pass.nanos() / 1e9)
        .get();
  }
}
