package dev.ebb.host.store;

/** The two clocks a store lives by. */
public interface TimeSource {

  /**
   * Time that only goes forward.
   *
   * @return nanoseconds since any moment
   */
  long nanos();

  /**
   * The time of day, which clients' expiry times refer to.
   *
   * @return milliseconds since 1970
   */
  long wallMillis();

  /** The clocks of this machine. */
  TimeSource SYSTEM =
      new TimeSource() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public long wallMillis() {
          return System.currentTimeMillis();
        }
      };
}
