package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.cluster.directory.JoinedCluster;
import dev.ebb.host.cluster.directory.Membership;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeTls;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.lifecycle.Closer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.infinispan.AdvancedCache;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.StorageType;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.configuration.global.ShutdownHookBehavior;
import org.infinispan.configuration.global.TransportConfigurationBuilder;
import org.infinispan.conflict.EntryMergePolicy;
import org.infinispan.conflict.MergePolicy;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.partitionhandling.PartitionHandling;
import org.infinispan.remoting.transport.jgroups.JGroupsTransport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's part of a cluster over Infinispan. */
final class InfinispanCluster implements JoinedCluster {

  private static final Logger LOG = LoggerFactory.getLogger(InfinispanCluster.class);
  private static final String NODES = "nodes";
  private static final String DIRECTORY = "directory";

  /** Longer than the detection of a silent node. */
  private static final int RPC_SECONDS = 12;

  /** Of a change that waits for another one of the same entry. */
  private static final int LOCK_SECONDS = 5;

  private static final long LEAVE_MILLIS = 5_000;

  private final DefaultCacheManager manager;
  private final Closer opened;
  private final ExecutorService threads;
  private final InfinispanMembership membership;
  private final InfinispanDirectory directory;

  /** Joins the cluster, or starts one if no seed answers. */
  static InfinispanCluster start(ClusterConfig config, Node self) {
    InetSocketAddress address = BindAddress.of(config);
    Optional<HostPort> seed = SeedCheck.running(config, address);
    Closer opened = new Closer();
    try {
      NodeTls tls = NodeTls.open(config);
      if (tls != null) {
        opened.add(tls);
      }
      ClusterStack stack = new ClusterStack(config, address, tls, seed.isPresent());
      DefaultCacheManager manager =
          new DefaultCacheManager(global(config, self, address, stack), false);
      opened.add(manager::stop);
      manager.start();
      seed.ifPresent(other -> SeedCheck.awaitAccepted(other, () -> manager.getMembers().size()));
      return new InfinispanCluster(manager, opened, self, config.requestTimeout());
    } catch (RuntimeException | Error failed) {
      opened.close();
      throw failed;
    }
  }

  private InfinispanCluster(
      DefaultCacheManager manager, Closer opened, Node self, Duration requestTimeout) {
    this.manager = manager;
    this.opened = opened;
    AdvancedCache<byte[], byte[]> nodes =
        manager.<byte[], byte[]>createCache(NODES, nodes()).getAdvancedCache();
    this.membership = new InfinispanMembership(manager, nodes, self);
    AdvancedCache<byte[], byte[]> entries =
        manager.<byte[], byte[]>createCache(DIRECTORY, entries()).getAdvancedCache();
    this.threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("ebb-directory-", 0).factory());
    this.directory = new InfinispanDirectory(entries, threads, requestTimeout.toMillis());
    membership.start(entries);
    LOG.info("joined the cluster: node={} members={}", self.name(), manager.getMembers());
  }

  private static GlobalConfiguration global(
      ClusterConfig config, Node self, InetSocketAddress address, ClusterStack stack) {
    GlobalConfigurationBuilder global = GlobalConfigurationBuilder.defaultClusteredBuilder();
    global.cacheManagerName("ebb-" + self.name());
    global.jmx().disable();
    global.metrics().gauges(false).histograms(false);
    global.shutdown().hookBehavior(ShutdownHookBehavior.DONT_REGISTER);
    global.serialization().addContextInitializer(new ApplyChangeSchema());
    TransportConfigurationBuilder transport = global.transport();
    transport
        .clusterName(config.name())
        .nodeName(self.name())
        .siteId(config.zone())
        .rackId(config.rack())
        .machineId(address.getAddress().getHostAddress())
        .addProperty(JGroupsTransport.CHANNEL_CONFIGURATOR, stack);
    return global.build();
  }

  private static Configuration nodes() {
    ConfigurationBuilder cache = cache(CacheMode.REPL_SYNC, MergePolicy.PREFERRED_NON_NULL);
    return cache.build();
  }

  private static Configuration entries() {
    ConfigurationBuilder cache = cache(CacheMode.DIST_SYNC, new EntryMerge());
    cache.clustering().hash().numOwners(OwnershipWatch.OWNERS);
    // Other nodes answer for what has not arrived yet. A merge of partitions can delay that.
    cache.clustering().stateTransfer().awaitInitialTransfer(false);
    cache.memory().storage(StorageType.OFF_HEAP);
    return cache.build();
  }

  private static ConfigurationBuilder cache(CacheMode mode, EntryMergePolicy<?, ?> merge) {
    ConfigurationBuilder cache = new ConfigurationBuilder();
    cache.encoding().mediaType(MediaType.APPLICATION_OCTET_STREAM);
    cache.statistics().disable();
    cache.locking().lockAcquisitionTimeout(LOCK_SECONDS, TimeUnit.SECONDS);
    cache
        .clustering()
        .cacheMode(mode)
        .remoteTimeout(RPC_SECONDS, TimeUnit.SECONDS)
        .partitionHandling()
        .whenSplit(PartitionHandling.ALLOW_READ_WRITES)
        .mergePolicy(merge);
    return cache;
  }

  @Override
  public Directory directory() {
    return directory;
  }

  @Override
  public Membership membership() {
    return membership;
  }

  DefaultCacheManager manager() {
    return manager;
  }

  /** Returns whether all entries are on their owners. */
  boolean replicated() {
    return membership.awaitReplicated(0);
  }

  @Override
  public void close() {
    if (!membership.awaitReplicated(LEAVE_MILLIS)) {
      LOG.warn("left the cluster while the directory moved between nodes; they announce it again");
    }
    membership.close();
    opened.close();
    // Updates in progress can wait for other nodes, which know from now on that this one has left.
    threads.shutdownNow();
  }
}
