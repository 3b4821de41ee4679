package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lifetimes and costs that clients state, in a policy that uses them. */
class ReuseHintsTest {

  private static final String VALUE = "v".repeat(60_000);

  private final RunningServer server = RunningServer.of(4 << 20);

  /** Evicts first what is not needed any more, then what is cheap to compute again. */
  private static final class CheapestFirst extends RankedBlockPolicy {

    private static final double UNKNOWN_COST = 10;

    @Override
    protected double rank(Entry entry) {
      if (entry.lifetimeHintNanos() == 0) {
        return -1;
      }
      double cost = entry.recomputeCost();
      return entry.accesses() * (Double.isNaN(cost) ? UNKNOWN_COST : cost) / entry.blocks();
    }

    @Override
    public String explain(Ranked node) {
      Entry entry = node.entry();
      return String.format(
          Locale.ROOT,
          "%s ms, %d ns, %d of %d tokens",
          entry.recomputeCost(),
          entry.lifetimeHintNanos(),
          entry.sequenceLength(),
          entry.maxSequenceLength());
    }
  }

  @BeforeEach
  void install() {
    server
        .store()
        .site()
        .prepare(List.of(new PolicyCandidate("cheapest-first", new CheapestFirst())))
        .publish(() -> {});
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static void begin(RawClient client, String id, String options) throws IOException {
    List<String> words = new ArrayList<>(List.of("EBB.REQUEST", "BEGIN", id));
    words.addAll(List.of(options.split(" ", -1)));
    words.add("KEYS");
    for (int i = 0; i < 5; i++) {
      words.add(id + i);
    }
    assertThat(client.call(words.toArray(String[]::new))).isEqualTo(":0\r\n");
    for (int i = 0; i < 5; i++) {
      assertThat(client.call("SET", id + i, VALUE)).isEqualTo("+OK\r\n");
    }
  }

  private static void end(RawClient client, String id, String... options) throws IOException {
    List<String> words = new ArrayList<>(List.of("EBB.REQUEST", "END", id));
    words.addAll(List.of(options));
    assertThat(client.call(words.toArray(String[]::new))).isEqualTo("+OK\r\n");
  }

  private static int resident(RawClient client, String id) throws IOException {
    int found = 0;
    for (int i = 0; i < 5; i++) {
      found += client.call("EBB.EXPLAIN", id + i).startsWith("$-1") ? 0 : 1;
    }
    return found;
  }

  private void fill(RawClient client, String id, int more) throws IOException {
    long evicted = server.store().stats().evicted() + more;
    for (int i = 0; server.store().stats().evicted() < evicted; i++) {
      String each = id + i + "-";
      begin(client, each, "LABEL chat");
      end(client, each);
    }
  }

  @Test
  void aPolicySeesHowNearASequenceIsToItsMaximum() throws IOException {
    try (RawClient client = new RawClient(server.port())) {
      begin(client, "chat", "INPUT 700 MAXOUTPUT 300");
      end(client, "chat", "OUTPUT", "200");
      assertThat(client.call("EBB.EXPLAIN", "chat0")).contains("900 of 1000 tokens");
      begin(client, "silent", "INPUT 700 MAXOUTPUT 300");
      end(client, "silent");
      assertThat(client.call("EBB.EXPLAIN", "silent0")).contains("700 of 1000 tokens");
      begin(client, "open", "INPUT 700");
      end(client, "open");
      assertThat(client.call("EBB.EXPLAIN", "open0")).contains("700 of -1 tokens");
    }
  }

  @Test
  void aPolicyEvictsWhatIsUselessOrCheapFirst() throws IOException {
    try (RawClient client = new RawClient(server.port())) {
      begin(client, "dear", "COST 400.5 LIFETIME 60");
      end(client, "dear");
      begin(client, "cheap", "COST 0.25");
      end(client, "cheap");
      // Only known after the prefill, or after the answer.
      begin(client, "measured", "COST 1 LIFETIME 0");
      end(client, "measured", "COST", "300", "LIFETIME", "2.5");
      begin(client, "finished", "COST 900");
      end(client, "finished", "LIFETIME", "0");
      assertThat(client.call("EBB.EXPLAIN", "dear4")).contains("400.5 ms, 60000000000 ns");
      assertThat(client.call("EBB.EXPLAIN", "measured0")).contains("300.0 ms, 2500000000 ns");
      assertThat(client.call("EBB.EXPLAIN", "finished0")).contains("900.0 ms, 0 ns");
      fill(client, "a", 1);
      assertThat(resident(client, "finished")).isLessThan(5);
      assertThat(resident(client, "cheap")).isEqualTo(5);
      fill(client, "b", 60);
      assertThat(resident(client, "finished")).isZero();
      assertThat(resident(client, "cheap")).isZero();
      assertThat(resident(client, "measured")).isEqualTo(5);
      assertThat(resident(client, "dear")).isEqualTo(5);
      assertThat(client.call("EBB.EXPLAIN", "b0-0")).startsWith("$-1");
    }
  }
}
