package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.NodeTls;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.transfer.TransferOptions;
import dev.ebb.host.transfer.TransferOptions.TimeLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The options of a node's connections for values and messages. */
final class NodeTransfers {

  /** How long a part of a replica waits for reads. */
  private static final Duration READS_FIRST = Duration.ofMillis(100);

  private NodeTransfers() {}

  /** Returns what values are encrypted with; null for connections without TLS. */
  static @Nullable SSLContext tls(ClusterConfig config, Closer opened) {
    NodeTls tls = config.tlsForValues() ? NodeTls.open(config) : null;
    return tls == null ? null : opened.add(tls).context();
  }

  static TransferOptions options(ClusterConfig config, @Nullable SSLContext tls) {
    String secret = config.listen().secret();
    // With the name, so that nodes of other clusters are refused, also without a secret.
    String proof = config.name() + "\n" + (secret == null ? "" : secret);
    return TransferOptions.of(proof.getBytes(StandardCharsets.UTF_8))
        .withTls(tls)
        .withBackground(config.bandwidth(), READS_FIRST);
  }

  /** Requests, and parts of values, end if the other node sends nothing for this time. */
  static TransferOptions clientOptions(ClusterConfig config, @Nullable SSLContext tls) {
    Duration limit = config.requestTimeout();
    return options(config, tls)
        .withTimes(new TimeLimits(limit, limit, limit, TimeLimits.DEFAULT.idle()));
  }
}
