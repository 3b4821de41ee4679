package dev.ebb.plugin.classic;

/**
 * Decides how large the window of W-TinyLFU is: the hill climber of Einziger, Eytan, Friedman and
 * Manes, <a href="https://dl.acm.org/doi/10.1145/3274808.3274816">Adaptive Software Cache
 * Management</a> (Middleware '18), with the rules of Caffeine 3.3.
 *
 * <p>Up to 4,096 entries, the window moves on in a direction while the hit ratio of a sample is not
 * below that of the sample before, and turns otherwise. Steps begin at a sixteenth of the cache,
 * also after each change of 5 points, and shrink. In larger caches the window grows if it has more
 * hits for each entry than main has, and shrinks otherwise, in proportion to the logarithm of the
 * ratio. Caffeine also tries other sizes from time to time; this class does not.
 */
final class WindowClimber {

  private static final double FIRST_STEP = 0.0625;
  private static final double LEAST_FIRST_STEP = 2;
  private static final double DECAY = 0.98;
  private static final double RESTART = 0.05;
  private static final long SAMPLE = 10;

  /** Up to this size, steps shrink more slowly and samples grow meanwhile. */
  private static final long SMALL = 512;

  private static final double SMALL_DECAY = 0.995;
  private static final double LONGEST_SAMPLE = 4;

  /** Above this size, densities are compared. */
  private static final long LARGE = 4_096;

  private static final long LARGE_SAMPLE = 4;
  private static final double GAIN = 0.03;
  private static final double LARGEST_STEP = 0.3;
  private static final double LEAST_WINDOW = 0.02;
  private static final double IMPUTED_HITS = 0.125;

  private long capacity;
  private double step;
  private double ratioBefore;
  private long windowHits;
  private long mainHits;
  private long misses;

  /** Continues with another capacity in entries. */
  void fit(long entries) {
    capacity = entries;
  }

  /** Begins with a capacity in entries. */
  void restart(long entries) {
    capacity = entries;
    step = entries <= SMALL ? firstStep() : -firstStep();
    ratioBefore = 0;
    clear();
  }

  private double firstStep() {
    return Math.max(LEAST_FIRST_STEP, FIRST_STEP * capacity);
  }

  void hit(boolean inWindow) {
    if (inWindow) {
      windowHits++;
    } else {
      mainHits++;
    }
  }

  void miss() {
    misses++;
  }

  /**
   * Returns by how many entries the window should change, once at the end of each sample.
   *
   * @param window its size now
   * @return less than 0 to shrink it; 0 within a sample
   */
  long change(long window) {
    long events = windowHits + mainHits + misses;
    if (events < sample()) {
      return 0;
    }
    double ratio = (double) (windowHits + mainHits) / events;
    long change = (long) (capacity > LARGE ? byDensity(window, events) : byRatio(ratio));
    ratioBefore = ratio;
    clear();
    return change;
  }

  private void clear() {
    windowHits = 0;
    mainHits = 0;
    misses = 0;
  }

  private double sample() {
    if (capacity > LARGE) {
      return LARGE_SAMPLE * capacity;
    }
    double stretch = capacity > SMALL ? 1 : FIRST_STEP * capacity / Math.abs(step);
    return SAMPLE * capacity * Math.clamp(stretch, 1, LONGEST_SAMPLE);
  }

  private double byRatio(double ratio) {
    double change = ratio - ratioBefore;
    double taken = change >= 0 ? step : -step;
    step =
        Math.abs(change) >= RESTART
            ? Math.copySign(firstStep(), taken)
            : taken * (capacity > SMALL ? DECAY : SMALL_DECAY);
    return taken;
  }

  private double byDensity(long window, long events) {
    double bar = IMPUTED_HITS * Math.max(4, events >> 10);
    double ofWindow = Math.max((double) windowHits, bar) / Math.max(1, window);
    double ofMain = Math.max((double) mainHits, bar) / Math.max(1, capacity - window);
    double largest = LARGEST_STEP * capacity;
    double wanted = Math.clamp(GAIN * capacity * Math.log(ofWindow / ofMain), -largest, largest);
    return Math.max(wanted, LEAST_WINDOW * capacity - window);
  }
}
