package dev.ebb.host.login;

import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.files.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs failed logins, and limits them to one a second from one address. The first ones
 * of an address are not limited. Repetitions of its last wrong passwords are neither limited nor
 * counted, so that a client with an old password does not refuse the others of its address.
 */
public final class FailedLogins {

  /** The result of a login. */
  public enum Result {
    ACCEPTED,
    WRONG,
    /** The login was not checked, because its address has failed too often. */
    LIMITED
  }

  /** The reply to a login that is not checked. */
  public static final String TOO_MANY =
      "too many failed logins from your address; try again in a second";

  private static final Logger LOG = LoggerFactory.getLogger(FailedLogins.class);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int UNLIMITED = 10;
  private static final int ADDRESSES = 10_000;
  private static final int LONGEST_NAME = 64;
  private static final int REMEMBERED = 4;

  private final String server;
  private final LongSupplier nanos;
  private final byte[] salt = new byte[32];
  private final LogThrottle failures = new LogThrottle();
  private final LogThrottle limits = new LogThrottle();
  private long count;

  private final Map<String, Failures> addresses =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > ADDRESSES;
        }
      };

  public FailedLogins(String server) {
    this(server, System::nanoTime);
  }

  FailedLogins(String server, LongSupplier nanos) {
    this.server = server;
    this.nanos = nanos;
    new SecureRandom().nextBytes(salt);
  }

  /** Returns the result of a login without a user name, and counts a new failure. */
  public Result check(String address, boolean right, byte[]... secret) {
    return check(address, right, "", secret);
  }

  /** Returns the result of a login, and counts a new failure; the name is for the log. */
  public Result check(String address, boolean right, String name, byte[]... given) {
    long total;
    boolean limited;
    synchronized (this) {
      long now = nanos.getAsLong();
      Failures before = addresses.get(address);
      if (before != null && !right && before.knows(hash(given))) {
        return Result.WRONG;
      }
      if (before != null && before.limited(now)) {
        return Result.LIMITED;
      }
      if (right) {
        return Result.ACCEPTED;
      }
      Failures failed = before == null ? new Failures(now) : before;
      failed.add(now, hash(given));
      addresses.remove(address);
      addresses.put(address, failed);
      limited = failed.limited(now);
      total = ++count;
    }
    failures.log(omitted ->
        LOG.warn(
            "login failed server={} remote={}{} total={}",
            server,
            address,
            name.isEmpty() ? "" : " user='" + shown(name) + "'",
            total));
    if (limited) {
      limits.log(omitted ->
          LOG.warn(
              "logins of this address are now limited to one a second server={} remote={}"
                  + " omitted={}",
              server,
              address,
              omitted));
    }
    return Result.WRONG;
  }

  private static String shown(String name) {
    return UntrustedText.line(
        name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "...");
  }

  /** Returns the result of a login whose slow check is not needed; empty if it is. */
  public synchronized Optional<Result> unchecked(String address, byte[]... given) {
    Failures before = addresses.get(address);
    if (before == null) {
      return Optional.empty();
    }
    if (before.knows(hash(given))) {
      return Optional.of(Result.WRONG);
    }
    return before.limited(nanos.getAsLong()) ? Optional.of(Result.LIMITED) : Optional.empty();
  }

  public synchronized long count() {
    return count;
  }

  private ByteBuffer hash(byte[]... given) {
    MessageDigest digest = Sha256.digest();
    digest.update(salt);
    for (byte[] part : given) {
      digest.update(part);
    }
    return ByteBuffer.wrap(digest.digest());
  }

  private static final class Failures {

    private final Deque<ByteBuffer> last = new ArrayDeque<>(REMEMBERED);

    /** The time until which the failures count. */
    private long until;

    Failures(long now) {
      until = now;
    }

    /** Returns whether a password is one of the last wrong ones, and then makes it the last one. */
    boolean knows(ByteBuffer hash) {
      boolean known = last.remove(hash);
      if (known) {
        last.add(hash);
      }
      return known;
    }

    boolean limited(long now) {
      return until - now > (UNLIMITED - 1) * SECOND;
    }

    void add(long now, ByteBuffer hash) {
      until = (until - now < 0 ? now : until) + SECOND;
      if (last.size() == REMEMBERED) {
        last.remove();
      }
      last.add(hash);
    }
  }
}
