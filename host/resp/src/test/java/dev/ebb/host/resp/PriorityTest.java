package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.store.stats.PartitionStats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Priorities that clients state, and what is evicted for them. */
class PriorityTest {

  private static final String VALUE = "v".repeat(60_000);
  private static final int CHUNKS = 5;

  /** Room for 64 chunks. */
  private final RunningServer server = RunningServer.respectingPriority(4 << 20);

  @AfterEach
  void close() {
    server.close();
  }

  private static List<String> keys(String id) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < CHUNKS; i++) {
      keys.add(id + "-" + i);
    }
    return keys;
  }

  private static void request(RawClient client, String id, int priority) throws IOException {
    List<String> begin =
        new ArrayList<>(List.of("EBB.REQUEST", "BEGIN", id, "PRIORITY", "" + priority, "KEYS"));
    begin.addAll(keys(id));
    assertThat(client.call(begin.toArray(String[]::new))).isEqualTo(":0\r\n");
    for (String key : keys(id)) {
      assertThat(client.call("SET", key, VALUE)).isEqualTo("+OK\r\n");
    }
    assertThat(client.call("EBB.REQUEST", "END", id)).isEqualTo("+OK\r\n");
  }

  private static String matched(RawClient client, String id) throws IOException {
    List<String> match = new ArrayList<>(List.of("EBB.MATCH"));
    match.addAll(keys(id));
    return client.call(match.toArray(String[]::new));
  }

  private long sum(ToLongFunction<CacheStats> count) {
    return server.store().partitions().stream().map(PartitionStats::cache).mapToLong(count).sum();
  }

  @Test
  void requestsOfLowPriorityDoNotEvictAPrefixOfHighPriority() throws IOException {
    try (RawClient client = new RawClient(server.port())) {
      request(client, "system", 2);
      for (int i = 0; i < 100; i++) {
        request(client, "bulk" + i, 0);
      }
      assertThat(matched(client, "system")).isEqualTo(":5\r\n");
      assertThat(matched(client, "bulk99")).isEqualTo(":5\r\n");
      assertThat(sum(CacheStats::protectedRefusals)).isPositive();
      assertThat(sum(CacheStats::protectedEvictions)).isZero();
      // Requests of the same priority evict it.
      for (int i = 0; i < 20; i++) {
        request(client, "urgent" + i, 2);
      }
      assertThat(matched(client, "system")).isNotEqualTo(":5\r\n");
    }
  }

  @Test
  void requestsOfLowPriorityAreStoredAlthoughAllIsOfHigherPriority() throws IOException {
    try (RawClient client = new RawClient(server.port())) {
      for (int i = 0; i < 20; i++) {
        request(client, "urgent" + i, 2);
      }
      for (int i = 0; i < 20; i++) {
        request(client, "bulk" + i, 0);
        assertThat(matched(client, "bulk" + i)).isEqualTo(":5\r\n");
      }
      assertThat(matched(client, "urgent19")).isEqualTo(":5\r\n");
      assertThat(matched(client, "bulk18")).isEqualTo(":5\r\n");
    }
  }
}
