package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.RespClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client of one server got.
 *
 * @param requests requests that it answered
 * @param chunks chunks in these requests
 * @param hits chunks that could be used, because they and all before them were read
 * @param remote its traffic with other nodes; null if it does not report any
 */
public record ServerTraffic(
    String server, long requests, long chunks, long hits, @Nullable Remote remote) {

  /**
   * The traffic of a node with the others of its cluster.
   *
   * @param chunks chunks that were read and that the node's clients had not stored there
   * @param readBytes the bytes that it fetched for reads
   * @param replicatedBytes the bytes that it fetched as replicas
   * @param movedBytes the bytes that it evicted and another node stored
   */
  public record Remote(long chunks, long readBytes, long replicatedBytes, long movedBytes) {

    /** Returns the sum of two nodes' traffic. */
    Remote plus(Remote other) {
      return new Remote(
          chunks + other.chunks,
          readBytes + other.readBytes,
          replicatedBytes + other.replicatedBytes,
          movedBytes + other.movedBytes);
    }
  }

  /** Returns the prefix hit ratio, in chunks: 0 to 1; NaN without requests. */
  public double hitRatio() {
    return chunks == 0 ? Double.NaN : (double) hits / chunks;
  }

  /**
   * What a server reports about other nodes, since its start.
   *
   * @param hits values of other nodes, replicas and the read cache that it returned
   */
  record RemoteCounters(long hits, long readBytes, long replicatedBytes, long movedBytes) {

    /** LMCache reads two values of each chunk. */
    private static final int VALUES = 2;

    /** Returns null if the server reports none, as Redis does. */
    static @Nullable RemoteCounters read(BenchTarget target) throws IOException {
      try (RespClient client = new RespClient(target)) {
        List<String> reply = client.call(List.of("INFO".getBytes(StandardCharsets.US_ASCII)));
        String text = String.join("\n", reply);
        if (!text.contains("remote_read_bytes:")) {
          return null;
        }
        return new RemoteCounters(
            number(text, "remote_hits"),
            number(text, "remote_read_bytes"),
            number(text, "replicated_bytes"),
            number(text, "moved_bytes"));
      } catch (UserError refused) {
        return null;
      }
    }

    private static long number(String text, String name) {
      return text.lines()
          .map(String::strip)
          .filter(line -> line.startsWith(name + ":"))
          .map(line -> Long.parseLong(line, name.length() + 1, line.length(), 10))
          .findFirst()
          .orElse(0L);
    }

    /** Returns the traffic since an earlier time. */
    ServerTraffic.Remote since(RemoteCounters before, int ranks) {
      return new ServerTraffic.Remote(
          (hits - before.hits) / ((long) VALUES * ranks),
          readBytes - before.readBytes,
          replicatedBytes - before.replicatedBytes,
          movedBytes - before.movedBytes);
    }
  }
}
