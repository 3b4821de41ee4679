package dev.ebb.host.replay.tiers;

import dev.ebb.spi.PolicyClock;

/**
 * Writes so many blocks a day, from a bucket that fills with time and holds those of an hour. The
 * fuller it is, the less likely to return a block may be.
 */
final class WriteBudget implements DiskAdmission {

  private static final double HOURS_PER_DAY = 24;
  private static final double NANOS_PER_HOUR = 3_600e9;

  private final double capacity;
  private final PolicyClock clock;
  private final ReuseAdmission reuse = new ReuseAdmission(this::share);
  private double tokens;
  private long filledNanos;

  /**
   * Creates a full bucket.
   *
   * @param blocksPerDay what it gives in a day
   */
  WriteBudget(long blocksPerDay, PolicyClock clock) {
    capacity = blocksPerDay / HOURS_PER_DAY;
    tokens = capacity;
    this.clock = clock;
    filledNanos = clock.nanos();
  }

  private double share() {
    return Math.clamp(tokens / capacity, 0, 1);
  }

  @Override
  public boolean admits(TieredBlock block) {
    long now = clock.nanos();
    tokens = Math.min(capacity, tokens + (now - filledNanos) / NANOS_PER_HOUR * capacity);
    filledNanos = now;
    return reuse.admits(block) && tokens >= 1;
  }

  @Override
  public void written() {
    tokens--;
    reuse.written();
  }

  @Override
  public void requestedAgain(int profile) {
    reuse.requestedAgain(profile);
  }
}
