package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class ConfigCommandsTest {

  private static final String GOOD =
      """
      ebb.pool.size = 16 MiB
      ebb.server.port = 0
      ebb.admin.port = 0
      ebb.eviction.policy = sized
      """;

  @TempDir private Path home;

  @BeforeEach
  void dropPolicy() {
    PluginJarBuilder.plugin("acme")
        .policy("sized", "context.settings().integer(\"size\", 4, 1, 10);")
        .writeTo(Configs.plugins(home), "acme.jar");
  }

  private String file(String settings) {
    String folders =
        "ebb.plugins { folder = \"%s/plugins\", run = \"%s/run\" }\n".formatted(home, home);
    return Configs.file(home, settings + folders).toString();
  }

  @Test
  void eachCheckIsReported() {
    Run run = Run.of("config", "check", "--config", file(GOOD));

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .containsPattern("(?m)^ok +keys +no mistake")
        .containsPattern("(?m)^ok +plugins +1 of 1 JARs in '" + home + "/plugins' are loaded$")
        .containsPattern("(?m)^ok +policy +sized, of the plugin acme$")
        .containsPattern("(?m)^ok +pool +16 MiB; .* available, limited by ")
        .containsPattern("(?m)^ok +server +RESP on 127.0.0.1:0")
        .containsPattern("(?m)^ok +admin +HTTP on 127.0.0.1:0");
    assertThat(run.out().lines()).hasSize(6);
  }

  @Test
  void allMistakesAreReportedTogetherWithTheirPlaces() {
    PluginJarBuilder.plugin("old").without("Plugin-Id").writeTo(home.resolve("plugins"), "z.jar");
    String file =
        file(
            """
            ebb.eviction.polcy = lru
            ebb.eviction.threshold = high
            ebb.eviction.policies.sized.size = 99
            ebb.pool.size = 8000 TiB
            ebb.server.bind = "0.0.0.0"
            ebb.admin.bind = "0.0.0.0"
            ebb.eviction.policy = sizd
            """);

    Run run = Run.of("config", "check", "--config", file);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .contains(
            file + ":1: unknown key 'ebb.eviction.polcy'",
            file + ":2: ebb.eviction.threshold = 'high'",
            file + ":3: ebb.eviction.policies.sized.size = '99'",
            file
                + ":7: ebb.eviction.policy: no policy named 'sizd' (did you mean 'sized'?);"
                + " available: [sized, auto, none]",
            "ebb.server.password",
            "ebb.admin.token")
        .containsPattern("(?m)^wrong +pool .*ebb.pool.size")
        .containsPattern("(?m)^warning +plugins +z.jar: its manifest has no Plugin-Id");
  }

  @Test
  void memoryForSequencesThatDoesNotFitIsReported() {
    Run run =
        Run.of(
            "config",
            "check",
            "--config",
            file(
                """
                ebb.pool.size = 16 MiB
                ebb.server { port = 0, unix-socket = "%1$s/ebb.sock", shared-memory = "%1$s" }
                ebb.server.sequences.memory = 8000 TiB
                ebb.admin.enabled = false
                """
                    .formatted(home)));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .containsPattern("(?m)^wrong .*ebb.server.sequences.memory = '8000 TiB'.*do not fit")
        .doesNotContain("ebb.pool.size");
  }

  @Test
  void aMissingPluginFolderHidesNoOtherMistake() {
    Path file = Configs.file(home, "a = 1\nebb.plugins.folder = \"" + home + "/no\"\n" + GOOD);

    assertThat(Run.of("config", "check", "--config", file.toString()).out())
        .contains(":1: unknown key 'a'", "there is no plugin folder '" + home + "/no'")
        .containsPattern("(?m)^ok +pool");
  }

  @Test
  void whatWouldFailOnlyLaterIsReportedToo() throws IOException {
    Path file = Files.createFile(home.resolve("plain"));
    String settings =
        """
        ebb.server.port = 7001
        ebb.admin.port = 7001
        ebb.eviction { log = true, log-file = %s/evictions.log }
        """
            .formatted(file);

    Run run = Run.of("config", "check", "--config", file(GOOD + settings));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .containsPattern("(?m)^wrong +admin +\\S+: ebb.admin.port = '7001' is also ebb.server.port")
        .containsPattern("(?m)^wrong +log +\\S+: ebb.eviction.log-file = '.*' cannot be written");
  }

  @Test
  void filesAndFoldersThatServingWouldRefuseAreReported() throws IOException {
    Path plain = Files.createFile(home.resolve("plain"));
    Path other = Files.writeString(home.resolve("other"), "something else");
    Path missing = home.resolve("values");
    String settings = GOOD + "ebb.state.folder = %s/learned\n".formatted(plain);

    assertThat(checkDisk(settings, home, "1 GiB"))
        .containsPattern("(?m)^wrong +disk +\\S+:6: .*'" + home + "' is a folder")
        .containsPattern("(?m)^wrong +state +\\S+:5: ebb.state.folder = .* because of '" + plain);
    assertThat(checkDisk(GOOD, other, "1 GiB"))
        .containsPattern("(?m)^wrong +disk +\\S+:5: .*'" + other + "' is not a file of the disk");
    // The most that can be asked for.
    assertThat(checkDisk(GOOD, missing, "4095 TiB, region-size = 1 GiB"))
        .containsPattern("(?m)^wrong +disk +\\S+:\\d+: .*asks for '\\S+ [TP]iB', and the disk of");
    assertThat(checkDisk(GOOD, missing, "1 GiB"))
        .containsPattern("(?m)^ok +disk +" + missing + "$");
    assertThat(missing).doesNotExist();
    assertThat(other).hasContent("something else");
  }

  private String checkDisk(String settings, Path path, String size) {
    String disk = "ebb.tiers.disk { path = \"%s\", size = %s }\n".formatted(path, size);
    return Run.of("config", "check", "--config", file(settings + disk)).out();
  }

  @Test
  void secretsThatCannotBeUsedAreReportedBesideOtherMistakes() {
    String settings =
        """
        ebb.admin.token = "two words"
        ebb.cluster { enabled = true, secret = short, seeds = [nowhere] }
        """;

    assertThat(Run.of("config", "check", "--config", file(GOOD + settings)).out())
        .containsPattern("(?m)^wrong +keys +\\S+:5: ebb.admin.token .*must have ASCII characters")
        .containsPattern("(?m)^wrong +keys +\\S+:6: ebb.cluster.secret .*has '5' characters")
        .containsPattern("(?m)^wrong +keys +\\S+:6: ebb.cluster.seeds\\[1] = 'nowhere'")
        .doesNotContain("two words", "short");
  }

  @Test
  void aSocketThatCannotBeMadeIsReportedBesideOtherMistakesOfTheServer() {
    Path socket = home.resolve("missing/ebb.sock");
    String file =
        file(
            GOOD
                + """
                ebb.server.unix-socket = "%s"
                ebb.server.sequences.memory = 1 MiB
                """
                    .formatted(socket));

    Run run = Run.of("config", "check", "--config", file);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .containsPattern("(?m)^wrong +server +\\S+:6: .*ebb.server.sequences.memory = '1 MiB'")
        .containsPattern(
            "(?m)^wrong +server +\\S+:5: .*ebb.server.unix-socket = '"
                + socket
                + "': its folder does not exist")
        .containsPattern("(?m)^ok +server +RESP on 127.0.0.1:0");
    assertThat(home.resolve("missing")).doesNotExist();
  }

  @Test
  void aSocketInUseIsAWarning() throws IOException {
    Path socket = home.resolve("ebb.sock");
    String file = file(GOOD + "ebb.server.unix-socket = \"" + socket + "\"\n");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));

      Run run = Run.of("config", "check", "--config", file);

      assertThat(run.exitCode()).isZero();
      assertThat(run.out())
          .containsPattern("(?m)^warning +server +another server listens on '" + socket + "'");
      assertThat(socket).exists();
    }
    Files.delete(socket);

    assertThat(Run.of("config", "check", "--config", file).out())
        .containsPattern("(?m)^ok +server +RESP on '" + socket + "', which is free$");
    assertThat(socket).doesNotExist();
  }

  @Test
  void aPortInUseIsAWarning() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = "127.0.0.1:" + taken.getLocalPort();
      String settings = GOOD + "ebb.server.port = " + taken.getLocalPort() + "\n";

      Run run = Run.of("config", "check", "--config", file(settings));

      assertThat(run.exitCode()).isZero();
      assertThat(run.out()).containsPattern("(?m)^warning +server +cannot listen on '" + port);
    }
  }

  @Test
  void jsonSaysTheSame() {
    String file = file(GOOD + "ebb.eviction.ttl = 5\n");

    Run run = Run.of("config", "check", "--json", "--config", file);

    JsonNode document = new ObjectMapper().readTree(run.out());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(document.at("/ok").asBoolean(true)).isFalse();
    assertThat(document.at("/checks/0/level").asString()).isEqualTo("wrong");
    assertThat(document.at("/checks/0/subject").asString()).isEqualTo("keys");
    assertThat(document.at("/checks/0/text").asString())
        .startsWith(file + ":5: ebb.eviction.ttl = '5'");
  }

  @Test
  void jsonIsWrittenForAFileThatCannotBeParsedToo() {
    String file = file("ebb {\n");

    Run run = Run.of("config", "check", "--json", "--config", file);

    JsonNode document = new ObjectMapper().readTree(run.out());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(document.at("/ok").asBoolean(true)).isFalse();
    assertThat(document.at("/checks/0/text").asString()).startsWith(file + ":1: ");
  }

  @Test
  void aFileInAnotherEncodingIsRefusedWithItsLine() throws IOException {
    Path file = Path.of(file(GOOD));
    Files.writeString(file, "# ä\nebb.server.password = pässword\n", StandardCharsets.ISO_8859_1);
    assertThat(Run.of("config", "check", "--config", file.toString()).err())
        .isEqualToIgnoringNewLines(
            "ebb: %s:1: a character is not in UTF-8; save the file in this encoding"
                .formatted(file));

    Path including =
        Files.writeString(home.resolve("including.conf"), "include \"%s\"".formatted(file));
    assertThat(Run.of("config", "check", "--config", including.toString()).err())
        .contains(file + ":1: a character is not in UTF-8");

    Files.writeString(file, "# ä\nebb.server.password = pässword\n");
    assertThat(Run.of("config", "check", "--config", file.toString()).err()).isEmpty();
  }

  @Test
  void aFileThatCannotBeReadIsOneLine() {
    Run run = Run.of("config", "check", "--config", home + "/none.conf");

    assertThat(run.err())
        .isEqualToIgnoringNewLines("ebb: no configuration file '" + home + "/none.conf'");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void valuesAreShownWithTheirPlaceAndSecretsAreNot() {
    String file = file(GOOD + "ebb.server.password = hunter2\n");

    Run run = Run.of("config", "show", "--config", file);

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .containsPattern("(?m)^KEY +VALUE +FROM$")
        .containsPattern("(?m)^ebb.pool.size +16 MiB +" + file + ":1$")
        .containsPattern("(?m)^ebb.eviction.threshold +0.95 +default$")
        .containsPattern("(?m)^ebb.server.password +\\(set\\) +" + file + ":5$")
        .doesNotContain("hunter2");
    assertThat(Run.of("config", "show", "--json", "--config", file).out())
        .startsWith("{\"values\":[{\"key\":\"ebb.admin.bind\",\"value\":\"127.0.0.1\"")
        .doesNotContain("hunter2");
  }

  @Test
  void aWrongConfigurationIsNotShown() {
    Run run = Run.of("config", "show", "--config", file("ebb.pool.size = many\n"));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains(":1: ebb.pool.size = 'many'");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void valuesOfARunningEbbAreShownAndChanged() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(ebb.run("config", "show").out())
          .containsPattern("(?m)^ebb.eviction.policy +first +.*ebb.conf:\\d+$");

      assertThat(ebb.run("config", "set", "ebb.eviction.policy=\"second\"", "--dry-run").out())
          .isEqualToNormalizingNewlines(
              "ebb.eviction.policy: 'first' -> 'second'\nnot changed: this was a dry run\n");
      assertThat(ebb.run("config", "set", "ebb.eviction.policy=second").out())
          .isEqualToNormalizingNewlines("ebb.eviction.policy: 'first' -> 'second'\nchanged\n");
      assertThat(ebb.run("config", "show").out())
          .containsPattern("(?m)^ebb.eviction.policy +second +admin$");
      assertThat(ebb.run("config", "set", "ebb.eviction.policy=second").out())
          .startsWith("nothing changes");

      Run wrong = ebb.run("config", "set", "ebb.server.port=1");
      assertThat(wrong.exitCode()).isEqualTo(1);
      assertThat(wrong.err()).contains("'ebb.server.port' cannot change while Ebb runs");
      assertThat(ebb.run("config", "set", "ebb.server.prt=1").err())
          .contains("'ebb.server.prt' is not a key", "did you mean 'ebb.server.port'?");
      assertThat(ebb.run("config", "set", "lookup-lease=1").err())
          .contains("did you mean 'ebb.server.lookup-lease'?");
      Run noValue = ebb.run("config", "set", "policy");
      assertThat(noValue.exitCode()).isEqualTo(2);
      assertThat(noValue.err()).contains("'policy' must be KEY=VALUE, in one word");

      assertThat(ebb.run("config", "unset", "ebb.eviction.policy", "--dry-run").out())
          .isEqualToNormalizingNewlines(
              "ebb.eviction.policy: 'second' -> 'first'\nnot changed: this was a dry run\n");
      assertThat(ebb.run("config", "unset", "ebb.eviction.policy").out())
          .isEqualToNormalizingNewlines("ebb.eviction.policy: 'second' -> 'first'\nchanged\n");
      assertThat(ebb.run("config", "show").out())
          .containsPattern("(?m)^ebb.eviction.policy +first +.*ebb.conf:\\d+$");
      Run nothing = ebb.run("config", "unset", "ebb.eviction.policy");
      assertThat(nothing.exitCode()).isEqualTo(1);
      assertThat(nothing.err()).contains("is as the file or the default says");
      assertThat(ebb.run("config", "unset", "foo").err())
          .contains("'foo' is not a key")
          .doesNotContain("default");
      ebb.run("config", "set", "ebb.eviction.rules=[]", "ebb.eviction.threshold=0.8");
      assertThat(ebb.run("config", "unset", "ebb.eviction.ttl").err())
          .contains("'ebb.eviction.ttl' is as the file or the default says")
          .doesNotContain("did you mean");
      assertThat(ebb.run("config", "unset", "ebb.eviction.tl").err())
          .contains("'ebb.eviction.tl' is not a key (did you mean 'ebb.eviction.ttl'?)");
      assertThat(ebb.run("config", "unset", "ebb.shadow").err()).contains("'ebb.shadow' is as");
    }
  }

  @Test
  void aSectionIsWrittenInBraces() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(ebb.run("config", "set", "ebb.eviction={ ttl = 9 m, log = false }").out())
          .isEqualToNormalizingNewlines("ebb.eviction.ttl: '1 h' -> '9 m'\nchanged\n");
      assertThat(ebb.run("policy", "set", "second(size=8)").out())
          .contains("'ebb config unset ebb.eviction.policies.second.size'");
      assertThat(ebb.run("plugins", "history").out())
          .containsPattern(
              "-> second \\(acme 1.2.3, [0-9a-f]+\\) \\{ size = 8 \\}  \\(operator\\)");
      Run apart = ebb.run("config", "set", "ebb.eviction", "{ ttl = 9 m }");
      assertThat(apart.exitCode()).isEqualTo(2);
      assertThat(apart.err()).contains("'ebb.eviction' must be KEY=VALUE, in one word");
    }
  }

  @Test
  void rulesAreShownALineEachAsTheyAreWritten() {
    String file =
        file(
            GOOD
                + """
                ebb.eviction.rules = [
                  { policy = sized, name = tight, when = occupancy, clear-at = "92 %", above = "96 %" }
                  { name = busy, when = tenant-share, of = "a \\"b", above = "60 %", clear-at = "40 %", min-hold = 2 m, policy = none }
                ]
                """);

    String shown = Run.of("config", "show", "--config", file).out();

    assertThat(shown)
        .containsPattern("(?m)^ebb.eviction.rules +2 below +" + file + ":5$")
        .endsWith(
            """
            ebb.eviction.rules = [
              { name = tight, when = occupancy, above = "96 %", clear-at = "92 %", policy = sized }
              { name = busy, when = tenant-share, of = "a \\"b", above = "60 %", clear-at = "40 %", min-hold = 2 m, policy = none }
            ]
            """);
  }
}
