package dev.ebb.spi;

/**
 * The host's time, as entries record it.
 *
 * @since 1.0.0
 */
@FunctionalInterface
public interface PolicyClock {

  /**
   * Returns the current time.
   *
   * @return nanoseconds since an arbitrary origin; never smaller than before
   */
  long nanos();
}
