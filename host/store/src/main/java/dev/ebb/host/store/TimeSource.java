package dev.ebb.host.store;

import dev.ebb.spi.PolicyClock;

/** The two clocks of a store: monotonic time, as policies see it, and wall-clock time. */
public interface TimeSource extends PolicyClock {

  /** Returns the wall-clock time, to which clients' expiry times refer, in ms since 1970. */
  long wallMillis();

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
