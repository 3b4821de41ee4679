package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tls.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.cluster}.
 *
 * @param tls the certificate of this node, its key, and the authorities of all nodes; null for TLS
 *     with a key made from the secret, or for none without a secret
 * @param replicas how many copies of a value there are beside its primary one
 * @param replicaMemory the share of the pool for replicas, 0 to 1
 * @param readCache the share of the pool for values read from other nodes, 0 to 1
 */
public record ClusterConfig(
    boolean enabled,
    String name,
    String node,
    String rack,
    String zone,
    ListenConfig listen,
    int transferPort,
    @Nullable TlsFiles tls,
    boolean tlsForValues,
    List<HostPort> seeds,
    int replicas,
    double replicaMemory,
    double readCache,
    long bandwidth,
    Duration requestTimeout,
    OnEvictChoice onEvict) {

  /** What happens to the replicas of an evicted value. */
  public enum OnEvictChoice {
    DROP,
    /** One of them becomes the primary copy. */
    KEEP_REPLICA
  }

  private static final double LEAST_MAIN_SHARE = 0.1;

  /** A shorter secret could be guessed: who records a connection can try all of them. */
  private static final int LEAST_SECRET = 16;

  private static final ConfigKey<Boolean> ENABLED =
      ConfigKey.fixed("cluster.enabled", ValueType.FLAG);
  private static final ConfigKey<String> NODE = ConfigKey.fixed("cluster.node", ValueType.TEXT);
  private static final ListenConfig.Keys LISTEN = ListenConfig.Keys.of("cluster", "secret", false);
  private static final ConfigKey<Integer> TRANSFER_PORT =
      ConfigKey.fixed("cluster.transfer-port", ValueType.integer(0, 65_535));
  private static final TlsKeys TLS = TlsKeys.of("cluster", "trust", true);
  private static final ConfigKey<Boolean> TLS_FOR_VALUES =
      ConfigKey.fixed("cluster.tls.values", ValueType.FLAG);
  private static final ConfigKey<Double> REPLICA_MEMORY =
      ConfigKey.fixed("cluster.replica-memory", ValueType.SHARE);
  private static final ConfigKey<Double> READ_CACHE =
      ConfigKey.fixed("cluster.read-cache", ValueType.SHARE);

  public static final Section<ClusterConfig> SECTION =
      new Section<>(ClusterConfig.class, "cluster")
          .key(ENABLED)
          .fixed("name", ValueType.NAME)
          .read(ClusterConfig::node, NODE)
          .fixed("rack", ValueType.TEXT)
          .fixed("zone", ValueType.TEXT)
          .read(ClusterConfig::listen, LISTEN.all())
          .key(TRANSFER_PORT)
          .read(ClusterConfig::tls, TLS.all())
          .key(TLS_FOR_VALUES)
          .fixed("seeds", ValueType.ADDRESSES)
          .fixed("replicas", ValueType.integer(0, 4))
          .key(REPLICA_MEMORY)
          .key(READ_CACHE)
          .fixed("bandwidth", ValueType.SIZE)
          .fixed("request-timeout", ValueType.INTERVAL)
          .fixed("on-evict", ValueType.choice(OnEvictChoice.class));

  private static @Nullable TlsFiles tls(ConfigReader reader) {
    TlsFiles tls = TLS.read(reader);
    if (tls != null && reader.secret(LISTEN.secret()) == null && !reader.get(TLS_FOR_VALUES)) {
      reader.problem(
          reader
              .setting(TLS_FOR_VALUES)
              .problem(
                  "needs %s: without it, certificates alone protect values; set both, or use true"
                      .formatted(LISTEN.secret())));
    }
    return tls;
  }

  private static ListenConfig listen(ConfigReader reader) {
    ListenConfig listen = LISTEN.read(reader);
    String secret = listen.secret();
    if (secret != null && secret.length() < LEAST_SECRET) {
      reader.problem(
          reader
              .setting(LISTEN.secret())
              .problem(
                  "has '%d' characters; use at least %d, for example the output of 'openssl rand -hex 32'"
                      .formatted(secret.length(), LEAST_SECRET)));
    }
    return listen;
  }

  public ClusterConfig {
    seeds = List.copyOf(seeds);
  }

  /**
   * Returns the share of the pool for values that this node's clients store, 0 to 1.
   *
   * @throws UserError if it is too small
   */
  public double mainShare() {
    double share = enabled ? 1 - replicaMemory - readCache : 1;
    if (share < LEAST_MAIN_SHARE) {
      throw new UserError(
          "%s and %s leave '%.0f %%' of the pool for values of clients; leave at least %.0f %%"
              .formatted(REPLICA_MEMORY, READ_CACHE, share * 100, LEAST_MAIN_SHARE * 100));
    }
    return share;
  }

  /**
   * Returns the address for membership and the directory.
   *
   * @throws UserError if it does not exist, or is open to other machines and has neither a secret
   *     nor certificates
   */
  public InetSocketAddress memberAddress() {
    return listen.address(isProtected(), "");
  }

  /** Returns whether nodes prove who they are, with a secret or certificates. */
  public boolean isProtected() {
    return listen.secret() != null || tls != null;
  }

  /**
   * Returns the address for values.
   *
   * @throws UserError if other nodes could not use it, or it is open to them and has no secret
   */
  public InetSocketAddress transferAddress() {
    InetSocketAddress address = memberAddress();
    if (address.getAddress().isAnyLocalAddress()) {
      throw new UserError(
          "%s = '%s' names no single address; set the one of this machine that the other nodes connect to"
              .formatted(listen.keys().bind(), listen.bind()));
    }
    if (transferPort != 0 && transferPort == listen.port()) {
      throw new UserError(
          "%s = '%d' is also the port of members; choose another port for one of them"
              .formatted(TRANSFER_PORT, transferPort));
    }
    return new InetSocketAddress(address.getAddress(), transferPort);
  }

  private static String node(ConfigReader reader) {
    String given = reader.get(NODE);
    try {
      return reader.get(ENABLED) && given.isBlank()
          ? InetAddress.getLocalHost().getHostName()
          : given;
    } catch (UnknownHostException unnamed) {
      throw new UserError(
          "ebb.cluster.node is not set and this host has no name (%s); set it"
              .formatted(unnamed.getMessage()));
    }
  }
}
