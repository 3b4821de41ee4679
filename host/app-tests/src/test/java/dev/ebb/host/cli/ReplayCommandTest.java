package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.resp.RunningServer;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayCommandTest extends PluginFolderTest {

  private static final String LINES =
      """
      {"timestamp": 0, "input_length": 30, "output_length": 5, "hash_ids": [1, 2]}
      {"timestamp": 1, "input_length": 30, "output_length": 5, "hash_ids": [1, 3]}
      {"timestamp": 2, "input_length": 30, "output_length": 5, "hash_ids": [1, 2]}
      """;

  private Path config;

  @BeforeEach
  void dropPolicy() {
    PluginJarBuilder.plugin("acme").policy("oldest").writeTo(folder, "acme.jar");
    config = Configs.withPlugins(home);
  }

  @Test
  void whatIsFinishedIsKeptWhenALaterTraceIsMalformed() throws IOException {
    Path page = home.resolve("page.html");
    String good = trace("good.jsonl", LINES);
    String bad = trace("bad.jsonl", LINES + "{\"timestamp\": 3\n");
    String last = trace("last.jsonl", LINES);

    Run run = replay(good, bad, last, "-c", "2", "--html", page.toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("bad.jsonl:4: ");
    assertThat(run.out()).contains("good.jsonl: 3 requests").contains("last.jsonl: 3 requests");
    assertThat(Files.readString(page)).contains("good.jsonl", "last.jsonl", "bad.jsonl:4: ");

    Run json = replay(good, bad, "-c", "2", "--json");
    assertThat(json.exitCode()).isEqualTo(1);
    assertThat(json.out())
        .contains("\"trace\" : \"good.jsonl\"", "\"trace\" : \"bad.jsonl\"", "\"failure\" : \"")
        .contains("\"requests\" : null");
  }

  @Test
  void eachRunIsLoggedAndTheOptimumLeftOut() throws IOException {
    Path log = home.resolve("runs.jsonl");
    String good = trace("good.jsonl", LINES);

    Run run = replay(good, "-c", "1,2", "--no-optimum", "--json", "--log-runs", log.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("\"optimumHitRatio\" : null", "\"gapClosed\" : null");
    assertThat(Files.readAllLines(log))
        .anySatisfy(line -> assertThat(line).contains("\"capacityBlocks\":1", "\"hits\":"))
        .anySatisfy(line -> assertThat(line).contains("\"capacityBlocks\":2", "\"hits\":"))
        .allSatisfy(line -> assertThat(line).startsWith("{").endsWith("}"));
    assertWrongUsage(
        replay(good, "-c", "1", "--log-runs", log.toString()), "runs.jsonl' already exists");
  }

  @Test
  void theCurveHasARowForEachCapacityAndTheTimeOfAllRuns() throws IOException {
    String good = trace("good.jsonl", LINES);

    Run shares = replay(good, "--curve");
    Run chosen = replay(good, "--curve", "-c", "1,3", "--jobs", "1");

    assertThat(shares.exitCode()).as(shares.err()).isZero();
    // The shares of three blocks are one, two or all of them.
    assertThat(shares.out())
        .containsPattern("33.33% +1 ")
        .containsPattern("66.67% +2 ")
        .containsPattern("100.00% +3 +50.00% +50.00%\n")
        .contains("oldest: 3 runs");
    assertThat(chosen.out()).contains("oldest: 2 runs").doesNotContain("66.67%");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--limit 0                    | --limit: '0' must be at least 1",
        "--limit many                 | 'many' is not a whole number",
        "--jobs 0                     | --jobs: '0' must be at least 1",
        "--jobs 99999999999           | '99999999999' is not a whole number up to 2147483647",
        "--repeat -1                  | --repeat: '-1' must be at least 1",
        "--lookahead -1               | --lookahead: '-1' must be 0 to 10000",
        "--lookahead 10001            | --lookahead: '10001' must be 0 to 10000",
        "--lookahead all              | Invalid value for option '--lookahead'",
        "--block-tokens 0             | --block-tokens: '0' must be at least 1",
        "--capacity 0                 | --capacity: '0' is not a number of blocks",
        "--capacity 101%              | --capacity: '101%' is not",
        "--policies OLDEST            | did you mean 'oldest'?",
        "--policies allkeys_lru       | Ebb's name for it is 'lru'",
        "--policies oldst             | --policies: no policy named 'oldst' (did you mean"
            + " 'oldest'?); available: [oldest, auto, none]",
        "--policies oldest(x=1)       | ebb replay: --policies: unknown setting 'x' for policy"
            + " 'oldest'",
        "--policies lru!              | --policies: 'lru!' must start",
        "--model prefx                | 'prefx' is not one of prefix, object",
        "--prefill-rate 0             | --prefill-rate: '0.0' must be from 1 to 1000000000",
        "--prefill-rate NaN           | --prefill-rate: 'NaN' must be from 1 to 1000000000",
        "--on-error ignore            | 'ignore' is not one of stop, skip",
        "--html /no/such/page.html    | --html: '/no/such/page.html' lies in a folder that does"
            + " not",
        "--html /dev/null             | --html: '/dev/null' is a device",
        "--html /proc/page.html       | --html: '/proc/page.html' lies in a folder that cannot be",
        "--html -                     | --html: '-' is not a file; specify a file name",
        "--synthetic chat             | --synthetic replaces '",
        "--curve --tiers 1,2          | leave --tiers or --curve out",
        "--tiers 5%                   | --tiers: '5%' must be two capacities",
        "--tiers 5%,0                 | --tiers: '0' is not a number of blocks",
        "--tiers 5%,50% -c 10         | --capacity cannot be given with --tiers",
        "--tiers 5%,50% --groups full:1,state:1 | --groups cannot be given with --tiers",
        "--tiers 5%,50% --model object | --tiers: '5%,50%' needs --model prefix",
        "--tiers 5%,50% --disk-policy oldst | --disk-policy: no policy named 'oldst'",
        "--tiers 5%,50% --disk-policy none | --disk-policy: 'none' never evicts",
        "--tiers 5%,50% --policies none | --disk-policy: 'none' never evicts",
        "--tiers 5%,50% --disk-admission some | --disk-admission: 'some' is not an admission rule",
        "--tiers 5%,50% --disk-regions 0 | --disk-regions: '0' must be 1 to",
        "--disk-policy lru            | Missing required argument(s): --tiers=MEMORY,DISK",
      })
  void aWrongValueIsWrongUsage(String options, String message) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(trace("t.jsonl", LINES)));
    arguments.addAll(List.of(options.split(" ")));

    assertWrongUsage(replay(arguments.toArray(String[]::new)), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chat --turns 0              | --turns: '0.0' must be at least 1",
        "chat --turns few            | 'few' is not a number",
        "zipf --objects 0            | --objects: '0' must be at least 1",
        "chat --requests 0           | --requests: '0' must be at least 1",
        "chat --requests-per-second 0 | --requests-per-second: '0.0' must be a number above 0",
        "zipf --skew -1              | --skew: '-1.0' must be at least 0",
        "cat                         | 'cat' is not one of chat, agent, fork, rag, zipf",
        "chat --save /no/x.jsonl     | --save: '/no/x.jsonl' lies in a folder that does not exist",
        "chat --save x.jsonl.zst     | --save: 'x.jsonl.zst' has an unsupported compression",
      })
  void aWrongValueOfAMadeUpTraceIsWrongUsageToo(String options, String message) {
    List<String> arguments = new ArrayList<>(List.of("--synthetic"));
    arguments.addAll(List.of(options.split(" ")));

    assertWrongUsage(replay(arguments.toArray(String[]::new)), message);
  }

  @Test
  void aDiskBehindTheMemoryIsReplayedBesideOneMemory() throws IOException {
    policy("other", "", "entries.size() + aside.size()");
    String[] options = {trace("t.jsonl", LINES), "-p", "oldest", "--tiers", "1,2"};

    Run table = replay(options);
    assertThat(table.exitCode()).isZero();
    assertThat(table.out())
        .contains("3 blocks", "oldest + disk all", "oldest + disk second-use", "hits/write");

    Run regions = replay(options[0], "--tiers", "1,2", "--disk-regions", "2");
    assertThat(regions.exitCode()).isEqualTo(1);
    assertThat(regions.err()).contains("--disk-regions: '2' must be at most half of the disk");

    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("--json", "--disk-policy", "other", "--disk-admission", "all"));
    Run json = replay(arguments.toArray(String[]::new));
    assertThat(json.out()).contains("\"policy\" : \"oldest + disk other all\"", "\"diskHits\" : 1");
  }

  @Test
  void whatCannotBeReadIsNoWrongUsage() {
    Run run = replay(home.resolve("none.jsonl").toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("none.jsonl' cannot be opened").doesNotContain("--help");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void theCodesAreInTheHelp() {
    assertThat(replay("--help").out().replaceAll("\\s+", " "))
        .contains("a value that is not allowed", "run-time failure");
  }

  @Test
  void aStreamIsReadOnlyOnce() {
    assertWrongUsage(replay("-", "-c", "10", "--repeat", "2"), "--repeat: '2'");
    assertWrongUsage(replay("-", "-c", "5%"), "--capacity: '5%' is a share");
  }

  @Test
  void oneFileForTwoThingsIsRefused() throws IOException {
    String both = home.resolve("both").toString();
    assertWrongUsage(
        replay("--synthetic", "chat", "--html", both, "--save", both),
        "is also the file of --html");

    String trace = trace("t.jsonl", LINES);
    Path link = Files.createSymbolicLink(home.resolve("link.html"), Path.of(trace));
    assertWrongUsage(replay(trace, "--html", link.toString()), "is also a trace");
    assertThat(Files.readString(Path.of(trace))).isEqualTo(LINES);
  }

  @Test
  void aPageIsWrittenThroughALink() throws IOException {
    Path page = home.resolve("page.html");
    Path link = Files.createSymbolicLink(home.resolve("latest.html"), page.getFileName());

    Run run = replay(trace("t.jsonl", LINES), "-c", "2", "--html", link.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(link).isSymbolicLink();
    assertThat(page).isRegularFile().content().startsWith("<!doctype html>");
  }

  @Test
  void theSavedTraceIsTheWholeOneThatWasReplayed() throws IOException {
    Path saved = home.resolve("chat.jsonl");
    String[] made = {
      "--synthetic", "chat", "--requests", "300", "-c", "50", "--json", "-p", "none"
    };
    Run direct = replay(made);
    List<String> saving = new ArrayList<>(List.of(made));
    saving.addAll(List.of("--limit", "10", "--save", saved.toString()));

    assertThat(replay(saving.toArray(String[]::new)).exitCode()).isZero();
    Run fromFile = replay(saved.toString(), "-c", "50", "--json", "-p", "none");

    assertThat(saved).isRegularFile();
    assertThat(Files.readAllLines(saved)).hasSize(300);
    assertThat(hits(fromFile)).isEqualTo(hits(direct)).isPositive();
    assertThat(home.resolve("chat.jsonl.part")).doesNotExist();
  }

  @Test
  void whatIsListedTwiceRunsOnce() throws IOException {
    String trace = trace("t.jsonl", LINES);

    Run run = replay(trace, trace, "-c", "2,2", "-p", "none,none", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out().split("\"policy\"", -1)).hasSize(2);
    assertThat(run.out().split("\"decodeBytes\"", -1)).hasSize(2);
  }

  @Test
  void aFailedRunShowsNoMetrics() throws IOException {
    policy("late", "throw new IllegalStateException(\"lost count\");", "entries.size()");

    Run table = replay(trace("t.jsonl", LINES), "-c", "1", "-p", "late");
    assertThat(table.exitCode()).isEqualTo(1);
    assertThat(table.out()).as(table.err()).containsPattern("late +failed( +-){11}\\R");
    assertThat(table.out()).contains("late stopped after", "block, ").doesNotContain("1 blocks");
    assertThat(table.err()).contains("--stacktrace").doesNotContain("\tat ");

    Run json = replay(trace("t.jsonl", LINES), "-c", "1", "-p", "late", "--json", "--stacktrace");
    assertThat(json.out()).contains("\"hits\" : null", "\"evictions\" : null", "lost count");
    assertThat(json.err())
        .contains("policy 'late' at 1 block of", "\tat acme.Provider$Policy.accessed");
  }

  @Test
  void aTraceIsSentToARunningServer() throws IOException {
    try (RunningServer server = RunningServer.of(8 << 20)) {
      String address = "127.0.0.1:" + server.port();

      Run text = replay(trace("t.jsonl", LINES), "--through", address, "--connections", "1");
      assertThat(text.exitCode()).as(text.err()).isZero();
      assertThat(text.out())
          .contains("t.jsonl through " + address)
          .containsPattern("requests +3 of 6 chunks")
          .containsPattern("prefix hits +0[.]5000: 3 chunks")
          .containsPattern("resident +3 of 3 different chunks");

      Run json = replay(trace("t.jsonl", LINES), "--through", address, "--limit", "2", "--json");
      assertThat(json.out()).contains("\"hitRatio\":1.0", "\"requests\":2", "\"lost\":0");
    }
  }

  @Test
  void skippedLinesAreShownOfAServerToo() throws IOException {
    try (RunningServer server = RunningServer.of(8 << 20)) {
      String[] words = {
        trace("t.jsonl", LINES + "{\"timestamp\": 1}\n"),
        "--through",
        "127.0.0.1:" + server.port(),
        "--on-error",
        "skip"
      };

      Run text = replay(words);
      assertThat(text.exitCode()).as(text.err()).isZero();
      assertThat(text.out()).contains("1 malformed line was skipped", "input_length is missing");
      List<String> asJson = new ArrayList<>(List.of(words));
      asJson.add("--json");
      assertThat(replay(asJson.toArray(String[]::new)).out()).contains("\"skippedLines\":1");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--through nowhere                        | --through: 'nowhere' must be a host and a port",
        "--through 127.0.0.1:70000                | --through: '127.0.0.1:70000' must be a host",
        "--through 127.0.0.1:1                    | cannot connect to '127.0.0.1:1'",
        "--through localhost:1,localhost:1        | 'localhost:1' is listed twice",
        "--through localhost:1,                   | --through: '' must be a host and a port",
        "--through localhost:1 --route hash       | --route chooses one of several servers",
        "--through localhost:1,x:2 --route best   | 'best' is not one of round-robin, hash,"
            + " affinity",
        "--through localhost:1 --connections 0    | --connections: '0' must be 1 to 1000",
        "--through localhost:1 --value-size 3     | --value-size: '3' must be a size up to 512 MiB",
        "--through localhost:1 --policies oldest  | --policies belongs to a simulated cache",
        "--through localhost:1 --ranks 2          | --ranks is not an option of --shape"
            + " 'lmcache-mp'",
        "--through localhost:1 --in-order         | --in-order is not an option of --shape",
        "--through x:1 --shape lmcache-redis --l1 5 | --l1 is not an option of --shape"
            + " 'lmcache-redis'",
        "--through localhost:1 --shape vllm       | 'vllm' is not one of lmcache-mp, lmcache-redis",
        "--through localhost:1 --chunk-by-chunk   | --chunk-by-chunk orders the objects of several",
        "--through localhost:1 --workers 0        | --workers: '0' must be 1 to 1000",
        "--through localhost:1 --l1 -1            | --l1 '-1' must not be below zero",
        "--connections 4                          | --through",
      })
  void aWrongOptionOfAServerIsNamed(String options, String message) throws IOException {
    List<String> words = new ArrayList<>(List.of(trace("t.jsonl", LINES)));
    words.addAll(List.of(options.split(" ")));

    Run run = replay(words.toArray(String[]::new));

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains(message).doesNotContain("\tat ");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aPolicyThatLosesCountIsAtFault() throws IOException {
    policy("miscounting", "", "Math.max(0, 2 * entries.size() - 2)");

    Run run = replay(trace("t.jsonl", LINES), "-c", "9", "-p", "miscounting,oldest");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains("policy 'miscounting' failed: size() is 4 at the end, and 3 entries are resident")
        .contains("best at 9 blocks: oldest");
  }

  @Test
  void refusedJarsAreNamedWhenAllPoliciesAreReplayed() throws IOException {
    PluginJarBuilder.plugin("anon").without("Plugin-Id").writeTo(folder, "anon.jar");
    String trace = trace("t.jsonl", LINES);

    Run all = replay(trace, "-c", "2");
    assertThat(all.exitCode()).isZero();
    assertThat(all.err()).contains("anon.jar is not loaded", "'ebb plugins list'");
    assertThat(replay(trace, "-c", "2", "-p", "oldest").err()).doesNotContain("anon.jar");
  }

  @Test
  void aTokenPolicyIsNoBlockPolicy() throws IOException {
    PluginJarBuilder.plugin("tokens")
        .source(
            "acme.Window",
            """
            package acme;

            import dev.ebb.spi.*;

            public final class Window implements TokenPolicyProvider {
              public String name() { return "window"; }

              public TokenPolicy create(PolicyContext context) { throw new IllegalStateException(); }
            }
            """)
        .service(dev.ebb.spi.TokenPolicyProvider.class, "acme.Window")
        .writeTo(folder, "tokens.jar");

    assertWrongUsage(
        replay(trace("t.jsonl", LINES), "-c", "2", "-p", "window"),
        "'window' is a token policy, and replays and the cache take block policies");
  }

  /** A policy that evicts the oldest entry, and whose methods can be spoilt. */
  private void policy(String name, String inAccessed, String size) {
    PluginJarBuilder.plugin(name)
        .provider(
            "acme.Provider",
            """
            package acme;

            import dev.ebb.spi.*;
            import java.util.LinkedHashSet;

            public final class Provider implements BlockPolicyProvider {
              public String name() { return "%s"; }

              public BlockPolicy<?> create(PolicyContext context) { return new Policy(); }

              static final class Policy implements BlockPolicy<Entry> {
                private final LinkedHashSet<Entry> entries = new LinkedHashSet<>();
                private final LinkedHashSet<Entry> aside = new LinkedHashSet<>();

                public Entry inserted(Entry entry) { entries.add(entry); return entry; }

                public void accessed(Entry entry) { %s }

                public Entry victim(Demand demand) {
                  return entries.isEmpty() ? null : entries.getFirst();
                }

                public void removed(Entry entry, RemovalCause cause) {
                  entries.remove(entry);
                  aside.remove(entry);
                }

                public void refused(Entry entry) { entries.remove(entry); aside.add(entry); }

                public void released(Entry entry) { aside.remove(entry); entries.addFirst(entry); }

                public long size() { return %s; }
              }
            }
            """
                .formatted(name, inAccessed, size))
        .writeTo(folder, name + ".jar");
  }

  private String trace(String name, String lines) throws IOException {
    return Files.writeString(home.resolve(name), lines).toString();
  }

  private Run replay(String... arguments) {
    List<String> all = new ArrayList<>(List.of("replay", "--config", config.toString()));
    all.addAll(List.of(arguments));
    return Run.of(all.toArray(String[]::new));
  }

  private static long hits(Run run) {
    String after = run.out().substring(run.out().indexOf("\"hits\" : ") + 9);
    return Long.parseLong(after.substring(0, after.indexOf(',')));
  }

  private static void assertWrongUsage(Run run, String message) {
    assertThat(run.err()).contains(message).contains("--help").doesNotContain("\tat ");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }
}
