package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.text.KeyText;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.commands.ProtocolCommand;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Tests the commands on evictions and on explanations of entries. */
class EvictionCommandsTest extends RunningEbbTest {

  /** More than fits. */
  private void storm(String prefix) {
    for (int i = 0; i < 60; i++) {
      ebb.put(prefix + i, 100_000);
    }
  }

  @Test
  void whatLeftIsLoggedWithItsKey() {
    ebb.put(BINARY, 100_000);
    ebb.put("schlüssel 🔑", 100_000);
    storm("key-");

    Run run = ebb.run("logs", "--tail", "1000");

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .containsPattern("\\ATIME +CAUSE +SIZE +AGE +IDLE +USES +SCORE +TENANT +KEY\\R")
        .containsPattern("(?m)^20.* 128 KiB .* hex:00ff2f250a$")
        .containsPattern("(?m)^20.* 128 KiB .* schlüssel 🔑$")
        .containsPattern("(?m)^20.* pass: .* entries of first, asked for ");
    assertThat(ebb.run("logs", "--tail", "5").out().lines().filter(line -> line.contains("key-")))
        .hasSize(5);
  }

  @Test
  void jsonIsTheDocumentOfTheServer() {
    storm("key-");

    JsonNode log = new ObjectMapper().readTree(ebb.run("logs", "--tail", "3", "--json").out());

    assertThat(log.at("/evictions").size()).isEqualTo(3);
    assertThat(log.at("/evictions/0/bytes").asLong()).isEqualTo(131_072);
  }

  @Test
  void whatBecameOfHintsIsLogged() {
    ProtocolCommand request = () -> "EBB.REQUEST".getBytes(StandardCharsets.UTF_8);
    ProtocolCommand hints = () -> "EBB.HINTS".getBytes(StandardCharsets.UTF_8);
    ebb.jedis().sendCommand(request, "BEGIN", "r-1", "TENANT", "acme", "KEYS", "c1", "c2");
    ebb.jedis()
        .sendCommand(
            hints,
            "r-1",
            """
            {"protocol_version": "0.1", "message_id": "m", "actions": [
              {"action_id": "a-1", "action_type": "kv.retain", "action_version": "1.0",
               "payload": {"directives": [{"priority": 5}]}},
              {"action_id": "a-2", "action_type": "kv.teleport", "action_version": "1.0",
               "payload": {}}]}\
            """);
    ebb.jedis().sendCommand(request, "BEGIN", "r-2", "KEYS", "c1", "c2");

    assertThat(ebb.run("logs", "--hints").out())
        .containsPattern("(?m)^20.* applied +kv.retain +acme +r-1 +a-1$")
        .containsPattern(
            "(?m)^20.* ignored +kv.teleport +acme +r-1 +a-2 +action_type is not known$")
        .containsPattern("(?m)^20.* right +kv.retain +acme +r-1 +a-1$");
    JsonNode log = new ObjectMapper().readTree(ebb.run("logs", "--hints", "--json").out());
    assertThat(log.at("/hints/1/outcome").asString()).isEqualTo("ignored");
    assertThat(ebb.run("logs", "--hints", "--follow").exitCode()).isEqualTo(2);
  }

  @Test
  void whatLeavesNextIsFollowedUntilTheServerEnds() throws InterruptedException {
    storm("before-");
    LiveRun follow = LiveRun.of("logs", "--tail", "0", "--follow", "--url", ebb.url());
    follow.awaitOut("TIME", 1);
    storm("after-");
    follow.awaitOut("after-", 5);
    ebb.close();
    Run run = follow.end();

    assertThat(run.out().lines().filter(line -> line.contains("after-")))
        .doesNotHaveDuplicates()
        .hasSizeGreaterThan(5);
    assertThat(run.err()).containsPattern("no Ebb listens at|broke").doesNotContain("\tat ");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void followingIsInterruptedWell() throws InterruptedException {
    Run run =
        LiveRun.of("logs", "--follow", "--url", ebb.url()).awaitOut("TIME", 1).interrupt().end();

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void valuesThatMeanNothingAreRefused() {
    Run unnamed = ebb.run("evict", "--lora", "");
    assertThat(unnamed.exitCode()).isEqualTo(2);
    assertThat(unnamed.err()).contains("--lora: ''", "name of an adapter");
    Run impossible = ebb.run("rollout", "policy", "first", "--keep-if", "hitRatio > 200pt");
    assertThat(impossible.exitCode()).isEqualTo(2);
    assertThat(impossible.err()).contains("'hitRatio > 200pt'", "-100pt to 100pt");
  }

  @Test
  void whatLeftIsSummedUpByCause() {
    assertThat(ebb.run("eviction", "stats").out()).contains("nothing was removed since the start");
    storm("key-");

    Run run = ebb.run("eviction", "stats");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .startsWith("policy first; ")
        .contains("evicted above 95.0 % down to 91.0 %")
        .containsPattern("(?m)^CAUSE +ENTRIES +SHARE +SIZE +AGE +IDLE +USES$")
        .containsPattern("(?m)^(background|demand) +\\d+ +\\d+.\\d % ")
        .containsPattern(
            "(?m)^\\d+ passes, [\\d.]+ .?s on average; re-prefill rate 0.0 %; fairness")
        .containsPattern(
            "(?m)^CAUSE +PASSES +ENTRIES +FREED +REFUSED +AVERAGE TIME +MEDIAN +LONGEST$");
  }

  @Test
  void theStatisticsAreWrittenAsJson() {
    ebb.put("model@1@0@00000001@acme", 100_000);
    storm("key-");
    ebb.jedis().get("key-0");

    JsonNode sums = new ObjectMapper().readTree(ebb.run("eviction", "stats", "--json").out());

    assertThat(sums.at("/sinceStart/evicted").longValue()).isPositive();
    assertThat(sums.at("/sinceStart/averagePassSeconds").doubleValue()).isPositive();
    assertThat(sums.at("/sinceStart/rePrefillRate").doubleValue()).isPositive();
    assertThat(sums.at("/sinceStart").has("fairness")).isTrue();
    assertThat(sums.at("/removed/0/entries").longValue()).isPositive();
    assertThat(sums.at("/passes/0/averageSeconds").doubleValue()).isPositive();
  }

  @Test
  void theThresholdIsThatOfEachPartition() {
    assertThat(ebb.run("eviction", "stats").out()).doesNotContain("partition");
    String quota = "ebb.tenants.acme.quota = 1 MiB\n";
    try (RunningEbb divided = RunningEbb.start(home.resolve("divided"), quota)) {
      for (int i = 0; i < 20; i++) {
        divided.put("model@1@0@%08x@acme".formatted(i), 60_000);
      }

      assertThat(divided.run("eviction", "stats").out())
          .containsPattern(
              "in use, .* of each of 2 partitions; the fullest, 'tenant:acme', is (8|9|10)\\d\\.");
      assertThat(divided.run("stats").out()).contains("of each part\n");
    }
  }

  @ParameterizedTest
  @CsvSource({"plain, plain", "schlüssel 🔑, schlüssel 🔑", "hex:00ff2f250a, hex:00ff2f250a"})
  void anEntryIsExplained(String key, String shown) {
    ebb.put(KeyText.parse(key).bytes(), 100_000);
    ebb.run("pin", key, "--owner", "search", "--for", "1h");

    Run run = ebb.run("explain", key);

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .containsPattern("(?m)^key +\\Q" + shown + "\\E$")
        .containsPattern("(?m)^value +97.7 KiB, takes 128 KiB of the pool$")
        .containsPattern("(?m)^state +active$")
        .containsPattern("(?m)^used +1 time, put ")
        .containsPattern("(?m)^kept +pinned by search since 20.*, for (59 min|1 h)")
        .containsPattern("(?m)^policy +first$");
  }

  @Test
  void whatIsNotThereIsNotExplained() {
    Run run = ebb.run("explain", "nothing");

    assertThat(run.err()).contains("no entry 'nothing'");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "logs --tail -1           | --tail: '-1' must be 0 to 10000",
        "logs --tail 10001        | --tail: '10001' must be 0 to 10000",
        "eviction stats --last 0  | --last: '0' must be 1 to 10000",
        "eviction                 | a command is missing; choose one of",
        "explain                  | Missing required parameter",
        "explain hex:xyz          | 'hex:xyz' is not hex:",
      })
  void wrongUsageIsReported(String line, String message) {
    Run run = Run.of(line.split(" "));

    assertThat(run.err()).contains(message).doesNotContain("\tat ");
    assertThat(run.exitCode()).isEqualTo(2);
  }
}
