package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.hint.HintOutcome;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** EBB.HINTS over a socket, in a policy that evicts what is retained least. */
class HintsCommandTest {

  private static final String RETAIN =
      """
      {"protocol_version": "0.1", "message_id": "m", "actions": [
        {"action_id": "a", "action_type": "kv.retain", "action_version": "1.0",
         "payload": {"directives": [{"start": 0, "end": 256, "priority": 90, "duration": 60},
                                    {"start": 256, "end": 512, "priority": 10}]}},
        {"action_id": "b", "action_type": "kv.retain", "action_version": "1.0",
         "payload": {"directives": [{"priority": 200}]}},
        {"action_id": "c", "action_type": "kv.teleport", "action_version": "1.0", "payload": {}}]}\
      """;

  private final RunningServer server = RunningServer.of(16 << 20);

  private static final class LeastRetained extends RankedBlockPolicy {

    @Override
    protected double rank(Entry entry) {
      return entry.retention();
    }

    @Override
    public String explain(Ranked node) {
      Entry entry = node.entry();
      return String.format(
          Locale.ROOT,
          "retention %d %s of %d",
          entry.retention(),
          entry.retainedUntilNanos() == Long.MAX_VALUE ? "for ever" : "for a while",
          entry.sequenceId());
    }
  }

  @BeforeEach
  void install() {
    server
        .store()
        .site()
        .prepare(List.of(new PolicyCandidate("least-retained", new LeastRetained())))
        .publish(() -> {});
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static String begin(RawClient client, String id, String... keys) throws IOException {
    List<String> words = new ArrayList<>(List.of("EBB.REQUEST", "BEGIN", id, "TENANT", "acme"));
    words.add("KEYS");
    words.addAll(List.of(keys));
    return client.call(words.toArray(String[]::new));
  }

  private static void store(RawClient client, String id, String... keys) throws IOException {
    begin(client, id, keys);
    for (String key : keys) {
      assertThat(client.call("SET", key, "value of " + key)).isEqualTo("+OK\r\n");
    }
  }

  private static String end(RawClient client, String id) throws IOException {
    return client.call("EBB.REQUEST", "END", id);
  }

  private long count(String type, HintOutcome outcome) {
    return server
        .server()
        .hints()
        .stats()
        .actions()
        .getOrDefault(type, Map.of())
        .getOrDefault(outcome, 0L);
  }

  @Test
  void aFetchReadsChunksOfAnotherNode() throws IOException {
    String fetch =
        """
        {"protocol_version": "0.1", "message_id": "m", "actions": [
          {"action_id": "a", "action_type": "kv.fetch", "action_version": "1.0", "payload": {}}]}\
        """;
    try (OtherNode other = new OtherNode(8 << 20, 1, 0);
        RunningServer node = RunningServer.node(8 << 20, other);
        RawClient client = new RawClient(node.port())) {
      other.set("c1", "one");
      other.set("c2", "two");
      assertThat(client.call("EBB.REQUEST", "BEGIN", "r", "KEYS", "c1", "c2")).isEqualTo(":2\r\n");
      int before = other.questions.get();
      assertThat(client.call("EBB.HINTS", "r", fetch)).contains("applied");
      Awaiting.until(() -> other.questions.get() == before + 1);
      client.call("EBB.REQUEST", "BEGIN", "s", "KEYS", "c1");
      assertThat(client.call("EBB.HINTS", "r", fetch)).contains("ignored", "another request");
    }
  }

  @Test
  void retainsChunksAndSaysWhatBecameOfEachAction() throws IOException {
    try (RawClient client = new RawClient(server.port())) {
      store(client, "r", "k0", "k1", "k2");
      String reply = client.call("EBB.HINTS", "r", RETAIN);
      assertThat(reply)
          .startsWith("*3\r\n*3\r\n$1\r\na\r\n$7\r\napplied\r\n$0\r\n\r\n")
          .contains("refused", "'200'", "ignored", "action_type is not known");
      assertThat(end(client, "r")).isEqualTo("+OK\r\n");

      assertThat(client.call("EBB.EXPLAIN", "k0")).contains("retention 90 for a while");
      assertThat(client.call("EBB.EXPLAIN", "k1")).contains("retention 10 for a while");
      assertThat(client.call("EBB.EXPLAIN", "k2")).contains("retention 0");
      assertThat(server.server().hints().stats().retainedTokens()).isEqualTo(Map.of("acme", 512L));

      // A request without hints uses them: they stay retained, and the hint was right.
      begin(client, "next", "k0", "k1", "k2");
      assertThat(end(client, "next")).isEqualTo("+OK\r\n");
      assertThat(client.call("EBB.EXPLAIN", "k0")).contains("retention 90 for a while");
      assertThat(count("kv.retain", HintOutcome.RIGHT)).isEqualTo(1);
      assertThat(count("kv.retain", HintOutcome.REFUSED)).isEqualTo(1);
      assertThat(count("other", HintOutcome.IGNORED)).isEqualTo(1);
    }
  }

  @Test
  void chunksOfOtherSizesAndTheEndOfASession() throws IOException {
    try (RawClient client = new RawClient(server.port())) {
      store(client, "r", "k0", "k1", "k2");
      client.call("EBB.HINTS", "r", "TOKENS", "128", RETAIN);
      end(client, "r");
      assertThat(client.call("EBB.EXPLAIN", "k1")).contains("retention 90");

      store(client, "s", "j0", "j1");
      client.call(
          "EBB.HINTS",
          "s",
          """
          {"protocol_version": "0.1", "message_id": "m", "actions": [
            {"action_id": "a", "action_type": "session.end", "action_version": "1.0",
             "payload": {"session_id": "agent-42"}}]}\
          """);
      end(client, "s");
      assertThat(client.call("EBB.EXPLAIN", "j0"))
          .contains("retention -1 for ever")
          .doesNotContain("of -1");
    }
  }

  @Test
  void refusesWhatItCannotUse() throws IOException {
    try (RawClient client = new RawClient(server.port())) {
      assertThat(client.call("EBB.HINTS", "nobody", RETAIN)).contains("'nobody' is not open");
      begin(client, "r", "k0");
      assertThat(client.call("EBB.HINTS", "r", "{]")).startsWith("-ERR the hints '{]'");
      assertThat(client.call("EBB.HINTS", "r", "TOKENS", "0", RETAIN)).contains("TOKENS '0'");
      assertThat(client.call("EBB.HINTS", "r", "SIZE", "0", RETAIN)).contains("syntax");
      assertThat(client.call("EBB.HINTS", "r")).contains("wrong number of arguments");
    }
  }

  /** Thousands of damaged envelopes: no crash, no wrong value, no other request affected. */
  @Test
  void damagedHintsHarmNobody() throws IOException {
    Random random = new Random(7);
    try (RawClient client = new RawClient(server.port());
        RawClient other = new RawClient(server.port())) {
      store(other, "bystander", "o0", "o1", "o2");
      end(other, "bystander");
      store(client, "own", "k0", "k1", "k2");
      end(client, "own");
      for (int i = 0; i < Histories.times(2_500); i++) {
        String id = "fuzz-" + i;
        begin(client, id, "k0", "k1", "k2");
        String reply = client.call("EBB.HINTS", id, damaged(random));
        assertThat(reply).matches(text -> text.startsWith("*") || text.startsWith("-ERR "));
        assertThat(end(client, id)).isEqualTo("+OK\r\n");
        if (i % 500 == 0) {
          for (int key = 0; key < 3; key++) {
            assertThat(client.call("GET", "k" + key)).isEqualTo("$11\r\nvalue of k" + key + "\r\n");
            assertThat(other.call("GET", "o" + key)).isEqualTo("$11\r\nvalue of o" + key + "\r\n");
            assertThat(other.call("EBB.EXPLAIN", "o" + key)).contains("retention 0 for ever");
          }
        }
      }
      for (HintOutcome outcome :
          List.of(HintOutcome.APPLIED, HintOutcome.REFUSED, HintOutcome.RIGHT)) {
        assertThat(count("kv.retain", outcome)).as("%s", outcome).isPositive();
      }
    }
  }

  /** Changes some characters, or exchanges values. */
  private static String damaged(Random random) {
    String[] values = {"-1", "1e999", "null", "{}", "[]", "\"\"", "true", "99999999999999999999"};
    StringBuilder text = new StringBuilder(RETAIN);
    for (int left = random.nextInt(4); left > 0; left--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.setCharAt(at, (char) (' ' + random.nextInt(95)));
        case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(9)));
        case 2 -> text.insert(at, values[random.nextInt(values.length)]);
        default -> {
          int number = text.indexOf("90");
          if (number >= 0) {
            text.replace(number, number + 2, values[random.nextInt(values.length)]);
          }
        }
      }
    }
    return text.toString();
  }
}
