package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.NodeTls;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.server.ClusterConfig;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.infinispan.remoting.transport.jgroups.AbstractJGroupsChannelConfigurator;
import org.jgroups.JChannel;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.util.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The JGroups protocols between the nodes, over one TCP port. Infinispan's TCP stack, with seeds
 * instead of multicast, and faster detection of failures: a closed connection makes a node suspect
 * immediately, silence after some seconds.
 */
final class ClusterStack extends AbstractJGroupsChannelConfigurator {

  private final List<ProtocolConfiguration> protocols;
  private final @Nullable SocketFactory sockets;

  /** Creates the protocols of a node; with a running seed, it waits for the seed's answer. */
  ClusterStack(
      ClusterConfig config, InetSocketAddress address, @Nullable NodeTls tls, boolean seedRuns) {
    this.protocols = new ArrayList<>();
    this.sockets = tls == null ? null : new MemberSockets(tls.context());
    String bind = address.getAddress().getHostAddress();
    add(
        "TCP",
        Map.ofEntries(
            Map.entry("bind_addr", bind),
            Map.entry("bind_port", String.valueOf(address.getPort())),
            Map.entry("port_range", "0"),
            Map.entry("diag.enabled", "false"),
            Map.entry("thread_naming_pattern", "pl"),
            Map.entry("send_buf_size", "640k"),
            Map.entry("sock_conn_timeout", "2s"),
            Map.entry("peer_addr_read_timeout", "3s"),
            Map.entry("tcp_nodelay", "true"),
            // A node that reads nothing must not delay what is for the others.
            Map.entry("non_blocking_sends", "true"),
            Map.entry("max_send_queue", "1024"),
            Map.entry("enable_suspect_events", "true"),
            Map.entry("log_details", "false"),
            // One thread for each node, as a connection to one that does not answer takes seconds.
            Map.entry("bundler_type", "per-destination"),
            Map.entry("bundler.use_single_sender_thread", "false"),
            Map.entry("bundler.max_size", "64k"),
            Map.entry("thread_pool.min_threads", "0"),
            Map.entry("thread_pool.max_threads", "200"),
            Map.entry("thread_pool.keep_alive_time", "1m"),
            Map.entry("use_vthreads", "true")));
    add("RED", Map.of());
    add(
        "TCPPING",
        Map.of(
            "initial_hosts",
            seeds(config, bind),
            "port_range",
            "0",
            "return_entire_cache",
            "true"));
    add("MERGE3", Map.of("min_interval", "1s", "max_interval", "4s"));
    add("FD_ALL3", Map.of("interval", "2s", "timeout", "8s"));
    add("VERIFY_SUSPECT2", Map.of("timeout", "1500ms"));
    Map<String, String> window =
        Map.of(
            "xmit_interval", "200ms",
            "xmit_table_num_rows", "50",
            "xmit_table_msgs_per_row", "1024",
            "xmit_table_max_compaction_time", "30s");
    add(
        "pbcast.NAKACK2",
        with(window, Map.of("use_mcast_xmit", "false", "resend_last_seqno", "true")));
    add("UNICAST3", with(window, Map.of("conn_close_timeout", "5s")));
    add("pbcast.STABLE", Map.of("desired_avg_gossip", "5s", "max_bytes", "1M"));
    String join = seedRuns ? "5s" : "100ms";
    add("pbcast.GMS", Map.of("print_local_addr", "false", "join_timeout", join));
    add("UFC", Map.of("max_credits", "4m", "min_threshold", "0.40"));
    add("MFC", Map.of("max_credits", "4m", "min_threshold", "0.40"));
    add("FRAG4", Map.of("frag_size", "60k"));
  }

  private void add(String protocol, Map<String, String> properties) {
    protocols.add(new ProtocolConfiguration(protocol, new HashMap<>(properties)));
  }

  private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(some);
    all.putAll(more);
    return all;
  }

  private static String seeds(ClusterConfig config, String bind) {
    List<HostPort> seeds =
        config.seeds().isEmpty() && config.listen().port() > 0
            ? List.of(new HostPort(bind, config.listen().port()))
            : config.seeds();
    return seeds.stream()
        .map(seed -> "%s[%d]".formatted(seed.host(), seed.port()))
        .collect(Collectors.joining(","));
  }

  @Override
  public String getName() {
    return "ebb";
  }

  @Override
  public JChannel createChannel(String name) throws Exception {
    JChannel channel = new JChannel(this);
    if (sockets != null) {
      channel.getProtocolStack().getTransport().setSocketFactory(sockets);
    }
    return channel;
  }

  @Override
  public String getProtocolStackString() {
    return protocols.toString();
  }

  @Override
  public List<ProtocolConfiguration> getProtocolStack() {
    return protocols;
  }
}
