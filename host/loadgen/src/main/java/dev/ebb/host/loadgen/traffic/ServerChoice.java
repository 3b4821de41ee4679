package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ChunkClient;
import dev.ebb.host.loadgen.RespClient;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Chooses the server for each request, for one thread. */
final class ServerChoice implements AutoCloseable {

  private static final int FIELDS = 6;
  private static final int ADDRESS = 1;

  private final TraceTrafficOptions.Routing routing;
  private final List<BenchTarget> servers;
  private final List<InetSocketAddress> addresses;
  private final ChunkClient.Format format;

  /** Of the first server, which learns only from the requests that it routes itself. */
  private final @Nullable RespClient router;

  private @Nullable String error;

  /**
   * Connects to the first server if that ranks the nodes.
   *
   * @throws UserError if it cannot be reached
   */
  ServerChoice(
      TraceTrafficOptions.Routing routing, List<BenchTarget> servers, ChunkClient.Format format) {
    this.routing = routing;
    this.servers = servers;
    this.format = format;
    addresses =
        servers.stream()
            .map(target -> new InetSocketAddress(target.host(), target.port()))
            .toList();
    router =
        routing == TraceTrafficOptions.Routing.AFFINITY ? new RespClient(servers.getFirst()) : null;
  }

  /**
   * Checks that the first server can choose among all.
   *
   * @throws UserError if it cannot rank nodes, or a server is not one of its nodes
   */
  void check() throws IOException {
    if (router == null) {
      return;
    }
    List<String> nodes;
    try {
      nodes = ranked(router, LongArrayList.of(0));
    } catch (UserError refused) {
      throw new UserError(
          "--route affinity: %s; it needs a node of an Ebb cluster, use --route round-robin or hash for other servers"
              .formatted(refused.getMessage()));
    }
    List<InetSocketAddress> known = nodes.stream().map(ServerChoice::address).toList();
    for (int i = 0; i < addresses.size(); i++) {
      if (!known.contains(addresses.get(i))) {
        throw new UserError(
            "--route affinity: '%s' is not an active node of the cluster of '%s', which has %s; name the nodes as 'ebb cluster nodes' shows them"
                .formatted(
                    servers.get(i),
                    servers.getFirst(),
                    nodes.stream().collect(Collectors.joining("', '", "'", "'"))));
      }
    }
  }

  /** Returns the index of the server for a request. */
  int choose(LongArrayList ids, long number) throws IOException {
    error = null;
    int inTurn = (int) (number % servers.size());
    if (ids.isEmpty()) {
      return inTurn;
    }
    return switch (routing) {
      case ROUND_ROBIN -> inTurn;
      case HASH -> (int) Long.remainderUnsigned(mix(ids.getLong(0)), servers.size());
      case AFFINITY -> router == null ? inTurn : best(router, ids, inTurn);
    };
  }

  /** Returns the server that is ranked first; another one if there is no answer. */
  private int best(RespClient client, LongArrayList ids, int otherwise) throws IOException {
    try {
      List<String> nodes = ranked(client, ids);
      for (String node : nodes) {
        int index = addresses.indexOf(address(node));
        if (index >= 0) {
          return index;
        }
      }
      error = "EBB.ROUTE returns no server of --through: " + String.join(", ", nodes);
    } catch (UserError refused) {
      error = refused.getMessage();
    }
    return otherwise;
  }

  /** Returns why the last request was sent to a server in turn; null if it was not. */
  @Nullable String error() {
    return error;
  }

  /** Returns the addresses of the nodes, the best first. */
  private List<String> ranked(RespClient client, LongArrayList ids) throws IOException {
    List<byte[]> command =
        Stream.concat(
                Stream.of("EBB.ROUTE"),
                ids.longStream().mapToObj(id -> format.value().formatted(id)))
            .map(text -> text.getBytes(StandardCharsets.US_ASCII))
            .toList();
    List<String> fields = client.call(command);
    List<String> nodes = new ArrayList<>();
    for (int i = ADDRESS; i < fields.size(); i += FIELDS) {
      nodes.add(fields.get(i));
    }
    return nodes;
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    try {
      String host = text.substring(0, Math.max(0, colon)).replaceAll("[\\[\\]]", "");
      return new InetSocketAddress(host, Integer.parseInt(text, colon + 1, text.length(), 10));
    } catch (IllegalArgumentException notServing) {
      return InetSocketAddress.createUnresolved("none", 0);
    }
  }

  private static long mix(long id) {
    long hash = (id + 1) * 0x9E37_79B9_7F4A_7C15L;
    return hash ^ hash >>> 32;
  }

  @Override
  public void close() {
    if (router != null) {
      router.close();
    }
  }
}
