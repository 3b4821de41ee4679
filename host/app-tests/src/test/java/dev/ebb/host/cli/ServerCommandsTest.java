package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.cli.server.TopCommand;
import dev.ebb.host.cli.server.TopText;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.text.KeyText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The commands that ask a running Ebb, over real sockets. */
class ServerCommandsTest extends RunningEbbTest {

  @Test
  void statsShowsMemoryHitsAndPolicy() {
    ebb.put("a", 100_000);
    ebb.jedis().get("a");
    ebb.jedis().get("b");

    Run run = ebb.run("stats");

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .containsPattern("^Ebb \\S+ at \\Q" + ebb.url() + "\\E, up ")
        .containsPattern("(?m)^policy +first$")
        .containsPattern("(?m)^pool +\\[#+\\.+\\] 128 KiB of 2 MiB, 6.3 %;")
        .containsPattern("(?m)^keys +1, 0 with a time to live")
        .containsPattern("(?m)^hit ratio +50.0 %$")
        .containsPattern("(?m)^hits +1$")
        .containsPattern("(?m)^misses +1$");
  }

  @Test
  void topShowsRatesWithinASmallTerminal() {
    ebb.put("a", 100_000);
    ProcessDocument before = document();
    ebb.jedis().get("a");
    ebb.jedis().get("a");
    ebb.jedis().get("a");
    ebb.jedis().get("b");
    // Times have milliseconds.
    Awaiting.until(() -> !document().server().time().equals(before.server().time()));
    ProcessDocument after = document();

    PolicyDocument policy =
        new ObjectMapper()
            .readValue(
                "{\"policy\":\"first\",\"configured\":\"first\",\"rulesPaused\":false,"
                    + "\"version\":{\"policy\":\"first\",\"plugin\":\"acme\",\"version\":\"1.2.3\"},"
                    + "\"quarantine\":[]}",
                PolicyDocument.class);
    List<String> lines = TopText.lines(ServerAddress.parse(ebb.url()), after, before, policy);
    assertThat(lines).hasSizeLessThanOrEqualTo(24).allMatch(line -> line.length() <= 80);
    assertThat(String.join("\n", lines))
        .containsPattern("(?m)^policy +first \\(acme 1.2.3\\)$")
        .containsPattern("(?m)^pool +\\[#+\\.+\\] 128 KiB of 2 MiB, 6.3 %$")
        .containsPattern("(?m)^hit ratio +75.0 % now +75.0 % since the start$")
        .containsPattern("(?m)^hits +[0-9,.]+/s +misses +[0-9,.]+/s$")
        .containsPattern("(?m)^evicted +0.0/s +on demand +0.0/s$")
        .containsPattern("(?m)^commands .*clients +1$")
        .containsPattern("(?m)^read +p50 +.*p99 +.*3 in all$");
  }

  private ProcessDocument document() {
    return new ObjectMapper().readValue(ebb.run("stats", "--json").out(), ProcessDocument.class);
  }

  @Test
  void topPrintsOneScreenForScripts() {
    Run run = ebb.run("top", "--once");

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .containsPattern("^Ebb \\S+ at \\Q" + ebb.url() + "\\E, up ")
        .containsPattern("(?m)^policy +first \\(acme 1.2.3\\)$")
        .doesNotContain("\033");
    assertThat(json(ebb.run("top", "--json")).at("/keys/count").asInt()).isZero();
  }

  @Test
  void aScreenReplacesThePreviousOneAndFits() {
    String screen = TopCommand.screen(List.of("abcdef", "gh", "ij"), new int[] {4, 2});

    assertThat(screen).isEqualTo("\033[Habcd\033[K\r\ngh\033[K\033[J");
  }

  @Test
  void jsonIsTheDocumentOfTheServer() {
    ebb.put("a", 10);

    JsonNode stats = json(ebb.run("stats", "--json"));
    assertThat(stats.at("/keys/count").asInt()).isEqualTo(1);
    assertThat(json(ebb.run("policy", "list", "--json")).at("/policy").asString())
        .isEqualTo("first");
    assertThat(json(ebb.run("keys", "--json")).at("/entries/0/key").asString()).isEqualTo("a");
    assertThat(json(ebb.run("plugins", "list", "--json")).at("/plugins/0/id").asString())
        .isEqualTo("acme");
  }

  @Test
  void statsShowsPrefixHitsOnceThereAreChains() {
    assertThat(ebb.run("stats").out()).doesNotContain("prefix hits", "unreachable");
    for (String chunk : List.of("01", "02", "01", "02")) {
      if (!ebb.jedis().exists("m@1@0@%s@halfmetadata".formatted(chunk))) {
        ebb.put("m@1@0@%s@halfkv_bytes".formatted(chunk), 1_000);
        ebb.put("m@1@0@%s@halfmetadata".formatted(chunk), 28);
      }
    }
    Awaiting.until(() -> ebb.run("stats").out().contains("prefix hits"));
    assertThat(ebb.run("top", "--once").out()).containsSubsequence("prefix hits", "hit ratio");
    assertThat(ebb.run("stats").out())
        .containsSubsequence("prefix hits", "hit ratio")
        .containsPattern("(?m)^prefix hits +\\d+.\\d %")
        .containsPattern(
            "(?m)^chains +\\d entr.+ predecessor, \\d unreachable, about \\d unknown$");
  }

  @Test
  void thePolicyThatTheAutomaticChoiceUsesIsShown() {
    ebb.run("policy", "set", "auto(policies=[second, first])");
    Awaiting.until(
        () -> ebb.run("policy", "show").out().contains("auto, built in, active, uses second"));
    assertThat(ebb.run("policy", "list").out()).contains("auto, which uses second now");
    assertThat(ebb.run("stats").out()).containsPattern("policy +auto, which uses second");
    assertThat(ebb.run("top", "--once").out()).containsPattern("policy +auto, which uses second");
    assertThat(ebb.run("plugins", "history").out()).contains("auto { policies = [second, first] }");
  }

  @Test
  void policiesAreListedShownAndChanged() {
    assertThat(ebb.run("policy", "list").out())
        .isEqualToNormalizingNewlines(
            """
               POLICY  PLUGIN  VERSION  SETTINGS
            *  first   acme    1.2.3
               second  acme    1.2.3    size=4
               auto    -       -
               none    -       -
            auto: ebb.eviction.policies.auto.policies: no policy named 'predictive', 'lirs', 's3-fifo', 'lru'; \
            available: [first, second]; install its JAR, or name others
            """);
    assertThat(ebb.run("policy", "show").out())
        .isEqualToNormalizingNewlines("first, of acme 1.2.3, active\nit has no settings\n");
    assertThat(ebb.run("policy", "show", "second").out())
        .isEqualToNormalizingNewlines(
            """
            second, of acme 1.2.3
            SETTING  VALUE  DEFAULT
            size     4      4
            """);

    assertThat(ebb.run("policy", "set", "second").out())
        .isEqualToIgnoringNewLines("'second' is active; the previous policy was 'first'");
    assertThat(ebb.run("policy", "set", "second").out())
        .isEqualToIgnoringNewLines("'second' is active already");
    assertThat(ebb.run("stats").out()).containsPattern("(?m)^policy +second$");
  }

  @Test
  void anUnknownPolicyIsReportedWithTheNearest() {
    assertRefused(ebb.run("policy", "set", "secnd"), "no policy named 'secnd'", "'second'?");
    assertRefused(ebb.run("policy", "show", "secnd"), "no policy named 'secnd'", "'second'?");
  }

  @Test
  void pluginsOfTheServerAreListed() {
    assertThat(ebb.run("plugins", "list").out())
        .containsPattern("(?m)^acme +1.2.3 +[0-9a-f]{12} +loaded +first, second$");
  }

  @Test
  void keysAreListedByPrefix() {
    ebb.put("a/1", 10);
    ebb.put("a/2", 70_000);
    ebb.put("b", 10);
    ebb.put("schlüssel ключ 🔑", 10);
    ebb.put(BINARY, 10);

    assertThat(ebb.run("keys").out())
        .startsWith("    SIZE ")
        .containsPattern("(?m) a/1$")
        .containsPattern("(?m) schlüssel ключ 🔑$")
        .containsPattern("(?m) hex:00ff2f250a$");
    assertThat(ebb.run("keys", "--prefix", "a/").out().lines())
        .hasSize(3)
        .anyMatch(line -> line.matches("68.4 KiB .* active +no +- +a/2"));
    assertThat(ebb.run("keys", "--prefix", "schlüssel к").out().lines()).hasSize(2);
    assertThat(ebb.run("keys", "--prefix", "hex:00ff").out().lines()).hasSize(2);
    assertThat(ebb.run("keys", "--prefix", "none").out())
        .isEqualToIgnoringNewLines("no key starts with 'none'");
  }

  @Test
  void keysStopAtTheLimitAndSaySo() {
    for (int i = 0; i < 30; i++) {
      ebb.put("key-" + i, 10);
    }

    assertThat(ebb.run("keys", "--limit", "7").out().lines())
        .hasSize(9)
        .last()
        .asString()
        .contains("--limit");
    assertThat(ebb.run("keys", "--limit", "5000").out().lines()).hasSize(31);
  }

  @ParameterizedTest
  @CsvSource({"plain, plain", "schlüssel 🔑, schlüssel 🔑", "hex:00ff2f250a, hex:00ff2f250a"})
  void anEntryIsPinnedListedAndLetGo(String key, String shown) {
    ebb.put(KeyText.parse(key).bytes(), 100_000);

    Run pinned = ebb.run("pin", key, "--owner", "search", "--for", "10m");
    assertThat(pinned.err()).isEmpty();
    assertThat(pinned.out()).startsWith("pinned '" + shown + "' for search, 128 KiB, until 20");
    assertThat(ebb.run("pins").out())
        .containsPattern("(?m)^128 KiB +(9 min 5\\d s|10 min) +20.* search +\\Q" + shown + "\\E$");
    assertThat(ebb.run("evict", key).out()).contains("evicted 0 entries").contains("not more: ");

    assertThat(ebb.run("unpin", key, "--owner", "search").out())
        .isEqualToIgnoringNewLines("unpinned '" + shown + "'");
    assertThat(ebb.run("pins").out()).isEqualToIgnoringNewLines("nothing is pinned");
    assertThat(ebb.run("evict", key).out()).startsWith("evicted 1 entry, 128 KiB;");
  }

  @Test
  void whatIsNotThereIsNotFound() {
    assertRefused(ebb.run("pin", "nothing"), "'nothing'");
    assertRefused(ebb.run("unpin", "nothing"), "'nothing'");
    assertRefused(ebb.run("evict", "nothing"), "'nothing'");
  }

  @Test
  void aLoraAdapterIsListedAndRemovedByName() {
    for (int i = 0; i < 5; i++) {
      String chunk = "m@1@0@a1b%d@half".formatted(i);
      ebb.put(chunk + "kv_bytes", 1_000);
      ebb.put(chunk + "@lora%sqlkv_bytes", 2_000);
      ebb.put(chunk + "@lora%sql/v2kv_bytes", 2_000);
      ebb.put("n@01000100@%d@a1b2c3d4e5@lora%%sql".formatted(i), 3_000);
    }
    assertThat(ebb.run("explain", "m@1@0@a1b0@half@lora%sql/v2kv_bytes").out())
        .contains("LoRA adapter sql/v2");
    assertThat(ebb.run("keys", "--namespaces").out())
        .containsPattern("(?m) 5 +9.8 KiB +m +sql/v2 ")
        .containsPattern("(?m) 5 +4.9 KiB +m +- ")
        .containsPattern("(?m) 5 +14.6 KiB +n +sql ");

    assertThat(ebb.run("evict", "--lora", "sql/v2").out()).startsWith("removed 5 entries, 9.8 KiB");
    assertThat(ebb.run("evict", "--lora", "sql", "--model", "m").out())
        .startsWith("removed 5 entries");
    assertRefused(ebb.run("evict", "--lora", "sql", "--model", "m"), "'sql'");
    assertThat(ebb.run("evict", "--entries", "1", "--model", "m").err()).contains("'m'", "--lora");
    assertThat(ebb.run("keys").out().lines())
        .hasSize(11)
        .noneMatch(line -> line.contains("m@1@0@") && line.contains("lora"));
    assertThat(ebb.run("evict", "--lora", "sql").out()).startsWith("removed 5 entries");
  }

  @Test
  void evictionByHandFreesWhatIsAsked() {
    for (int i = 0; i < 12; i++) {
      ebb.put("key-" + i, 100_000);
    }

    assertThat(ebb.run("evict", "--entries", "2").out())
        .isEqualToIgnoringNewLines(
            "evicted 2 entries, 256 KiB; in use 1.5 MiB before, 1.3 MiB after");
    assertThat(ebb.run("evict", "--blocks", "2").out()).startsWith("evicted 1 entry, 128 KiB;");
    assertThat(ebb.run("evict", "--size", "256 KiB").out()).startsWith("evicted 2 entries");
    assertThat(ebb.run("evict", "--to", "0").out()).contains("0 B after");
    assertThat(ebb.run("keys").out()).isEqualToIgnoringNewLines("the cache is empty");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "evict                       | say what to evict, one of: --to",
        "evict a --to 0.5            | 2 are given, name only one of: --to, --size, --blocks,"
            + " --entries, --lora, a KEY",
        "evict --to 70               | '70' is not a share, 0 to 1, such as 0.7",
        "evict --to 70%              | '70%' is not a share, 0 to 1, such as 0.7",
        "evict --to NaN              | 'NaN' is not a share, 0 to 1",
        "evict --entries 0           | --entries: '0' must be at least 1",
        "evict --blocks -1           | --blocks: '-1' must be 1 to",
        "evict --size 5              | --size: '5' must be a size",
        "pin                         | name what to pin, one of: a KEY, --system-file",
        "pin a --for ten             | --for: 'ten' must be a duration",
        "pin a --for 0s              | --for: '0s' must be a duration",
        "pin hex:0                   | 'hex:0' is not hex: and two",
        "keys --limit 0              | --limit: '0' must be 1 to",
        "keys --prefix hex:zz        | 'hex:zz' is not hex:",
        "stats --watch 0             | --watch: '0' must be 1 to",
        "top --interval 0            | --interval: '0' must be 1 to",
        "stats --timeout 0           | --timeout: '0' must be 1 to",
        "policy set                  | Missing required parameter",
      })
  void wrongUsageIsReported(String line, String message) {
    Run run = ebb.run(line.split(" "));

    assertThat(run.err()).contains(message).doesNotContain("\tat ");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aWatchShowsRatesAndEndsWhenTheServerDoes() throws InterruptedException {
    LiveRun watch = LiveRun.of("stats", "--watch", "1", "--url", ebb.url());
    watch.awaitOut("hit ratio", 2);
    ebb.close();
    Run run = watch.end();

    assertThat(run.out()).containsPattern("(?m)^commands +0 +0.0/s$");
    assertThat(run.err()).containsPattern("no Ebb listens at|broke").doesNotContain("\tat ");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void aWatchThatIsInterruptedEndsWell() throws InterruptedException {
    Run run =
        LiveRun.of("stats", "--watch", "--url", ebb.url())
            .awaitOut("hit ratio", 1)
            .interrupt()
            .end();

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
  }

  private static JsonNode json(Run run) {
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    return new ObjectMapper().readTree(run.out());
  }

  private static void assertRefused(Run run, String... words) {
    assertThat(run.err()).contains(words).doesNotContain("\tat ");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void statsNameTheTenantsAndErrorsTheKeyAsItIsTyped() {
    ebb.put("model@1@0@0001@ann", 100 << 10);
    ebb.put("model@1@0@0002@ben", 10);

    assertThat(ebb.run("stats").out())
        .containsPattern("(?m)^tenant +ann: 128 KiB in 1 entry, - of 0 requests were hits, 0 ")
        .contains("tenant       ben: ");
    assertThat(ebb.run("explain", "no such key @ all").err())
        .isEqualTo("ebb: no entry 'no such key @ all'\n");
    assertThat(ebb.run("unpin", "a b").err()).isEqualTo("ebb: no such pin on 'a b'\n");
  }
}
