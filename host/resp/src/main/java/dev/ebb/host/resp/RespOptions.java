package dev.ebb.host.resp;

import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.tls.TlsFiles;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of the RESP server.
 *
 * @param address the address to listen on; port 0 for any free one
 * @param unixSocket the path of a Unix domain socket to listen on as well; null for none
 * @param tls the files for TLS on the address; null for none
 * @param password the password of the user {@code default}; null for none
 * @param users the other users
 * @param maxValueBytes the largest value, 1 to 512 MiB
 * @param failsWhenFull whether a value that does not fit is an error; otherwise the reply is {@code
 *     +OK}, as if it had been evicted immediately: clients of a cache must expect that
 * @param threads event loops, at least 1
 * @param clients what clients may use
 * @param priorities how the priorities are read that clients state
 */
public record RespOptions(
    InetSocketAddress address,
    @Nullable Path unixSocket,
    @Nullable TlsFiles tls,
    @Nullable String password,
    List<UserConfig> users,
    long maxValueBytes,
    boolean failsWhenFull,
    int threads,
    ClientLimits clients,
    PriorityScale priorities) {

  /** The default limit of values in Redis. */
  public static final long DEFAULT_MAX_VALUE_BYTES = 512L << 20;

  public RespOptions {
    users = List.copyOf(users);
    if (maxValueBytes < 1 || maxValueBytes > DEFAULT_MAX_VALUE_BYTES || threads < 1) {
      throw new IllegalArgumentException(
          "maxValueBytes '%d' must be 1 to %d, threads '%d' at least 1"
              .formatted(maxValueBytes, DEFAULT_MAX_VALUE_BYTES, threads));
    }
  }
}
