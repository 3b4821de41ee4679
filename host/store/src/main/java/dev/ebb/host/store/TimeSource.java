package dev.ebb.host.store;

/** The two clocks of a store. */
public interface TimeSource {

  /**
   * Returns monotonic time.
   *
   * @return nanoseconds since an arbitrary origin
   */
  long nanos();

  /**
   * Returns the wall-clock time, to which clients' expiry times refer.
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
