package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * How the server is set up.
 *
 * @param address where to listen; port 0 for any free one
 * @param password what clients must give; null for none
 * @param maxValueBytes the largest value, 1 to 512 MiB
 * @param onFull what a client hears whose value finds no room
 * @param threads event loops, at least 1
 */
public record RespOptions(
    InetSocketAddress address,
    @Nullable String password,
    long maxValueBytes,
    OnFull onFull,
    int threads) {

  /** The largest value that Redis takes unless told otherwise. */
  public static final long DEFAULT_MAX_VALUE_BYTES = 512L << 20;

  /** Checks the numbers. */
  public RespOptions {
    requireNonNull(address, "address is null");
    requireNonNull(onFull, "onFull is null");
    if (maxValueBytes < 1 || maxValueBytes > DEFAULT_MAX_VALUE_BYTES || threads < 1) {
      throw new IllegalArgumentException(
          "maxValueBytes '%d' must be 1 to %d, threads '%d' at least 1"
              .formatted(maxValueBytes, DEFAULT_MAX_VALUE_BYTES, threads));
    }
  }
}
