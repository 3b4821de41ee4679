package dev.ebb.host.login;

import dev.ebb.host.errors.LogThrottle;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs failed logins, and limits them to one a second from one address. The first ones
 * of an address are not limited.
 */
public final class FailedLogins {

  /** The reply to a login that is not checked. */
  public static final String TOO_MANY =
      "too many failed logins from your address; try again in a second";

  private static final Logger LOG = LoggerFactory.getLogger(FailedLogins.class);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int UNLIMITED = 10;
  private static final int ADDRESSES = 10_000;

  private final String server;
  private final LongSupplier nanos;
  private final LogThrottle log = new LogThrottle();
  private long count;

  /** For each address, the time until which its failures count. */
  private final Map<String, Long> until =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > ADDRESSES;
        }
      };

  /**
   * Creates the counter of a server.
   *
   * @param server its name in the log
   */
  public FailedLogins(String server) {
    this(server, System::nanoTime);
  }

  FailedLogins(String server, LongSupplier nanos) {
    this.server = server;
    this.nanos = nanos;
  }

  /** Returns whether a login from an address may be checked. */
  public synchronized boolean allows(String address) {
    long now = nanos.getAsLong();
    return until.getOrDefault(address, now) - now <= (UNLIMITED - 1) * SECOND;
  }

  /** Counts a failed login. */
  public void add(String address) {
    long total;
    synchronized (this) {
      long now = nanos.getAsLong();
      Long before = until.remove(address);
      until.put(address, (before == null || before - now < 0 ? now : before) + SECOND);
      total = ++count;
    }
    log.log(
        omitted -> LOG.warn("login failed server={} remote={} total={}", server, address, total));
  }

  /** Returns the number of failed logins. */
  public synchronized long count() {
    return count;
  }
}
