package dev.ebb.host.transfer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of one fetch.
 *
 * @param priority READ or BACKGROUND
 * @param offset the first byte wanted
 * @param length how many bytes are wanted; fewer are received if the value ends before
 * @param minVersion an older version counts as absent; {@link #ANY_VERSION} accepts each
 * @param streams the most connections used for a value of several parts
 * @param attempts how many attempts without any new byte end the fetch
 * @param timeout the longest time for the whole fetch
 * @param traceparent the trace context of the client's request in W3C's format, which nodes that
 *     know it receive; null without one
 */
public record FetchOptions(
    TransferPriority priority,
    long offset,
    long length,
    long minVersion,
    int streams,
    int attempts,
    Duration timeout,
    @Nullable String traceparent) {

  public static final long ANY_VERSION = Long.MIN_VALUE;

  /** More connections than processors to serve them only cost time. */
  private static final int STREAMS =
      Math.clamp(Runtime.getRuntime().availableProcessors() / 4, 1, 4);

  /** A whole value for a client that waits. */
  public static final FetchOptions READ =
      new FetchOptions(
          TransferPriority.READ,
          0,
          Long.MAX_VALUE,
          ANY_VERSION,
          STREAMS,
          3,
          Duration.ofSeconds(60),
          null);

  /** A whole value for replication or migration. */
  public static final FetchOptions BACKGROUND =
      new FetchOptions(
          TransferPriority.BACKGROUND,
          0,
          Long.MAX_VALUE,
          ANY_VERSION,
          1,
          5,
          Duration.ofMinutes(10),
          null);

  public FetchOptions {
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException(
          "offset '%d' and length '%d' must be 0 or more".formatted(offset, length));
    }
    if (streams < 1 || streams > 64) {
      throw new IllegalArgumentException("streams '" + streams + "' must be 1 to 64");
    }
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts '" + attempts + "' must be at least 1");
    }
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("timeout '" + timeout + "' must be positive");
    }
  }

  public FetchOptions withRange(long from, long count) {
    return new FetchOptions(
        priority, from, count, minVersion, streams, attempts, timeout, traceparent);
  }

  public FetchOptions withStreams(int most) {
    return new FetchOptions(
        priority, offset, length, minVersion, most, attempts, timeout, traceparent);
  }

  public FetchOptions withAttempts(int most) {
    return new FetchOptions(
        priority, offset, length, minVersion, streams, most, timeout, traceparent);
  }

  public FetchOptions withTraceparent(@Nullable String context) {
    return new FetchOptions(
        priority, offset, length, minVersion, streams, attempts, timeout, context);
  }
}
