package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {

  @TempDir private Path home;

  @Test
  void withoutAFileTheDefaultsHold() {
    EbbConfig config = Configs.defaults(home).orThrow();

    assertThat(config.eviction().policy()).isEqualTo(new Choice("lru", null));
    assertThat(config.eviction().threshold()).isEqualTo(0.95);
    assertThat(config.eviction().target()).isEqualTo(0.91);
    assertThat(config.eviction().policies().names()).isEmpty();
    assertThat(config.tokens().policy().name()).isEqualTo("none");
    assertThat(config.plugins().folder()).isEqualTo(home.resolve("plugins"));
    assertThat(config.plugins().run()).isEqualTo(home.resolve("run"));
  }

  @Test
  void theFileInTheWorkingDirectoryIsRead() {
    Path file = Configs.file(home, "ebb.eviction.policy = arc");

    assertThat(new ConfigLoader(home, home).load(null).orThrow().eviction().policy())
        .isEqualTo(new Choice("arc", file + ":1"));
  }

  @Test
  void aFileOfAnotherUserInTheWorkingDirectoryIsRefused() throws IOException {
    Path file = Configs.file(home, "ebb.eviction.policy = arc");
    assumeTrue(Configs.giveAway(file), "only root can give files away");

    assertThatThrownBy(() -> new ConfigLoader(home, home).load(null))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'" + file + "'")
        .hasMessageContaining("--config " + file);
    assertThat(new ConfigLoader(home, home).load(file).problems()).isEmpty();
  }

  @Test
  void aFileThatOtherUsersCouldChangeIsRefused() throws IOException {
    Path file = Configs.file(home, "ebb.eviction.policy = arc");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertRefused(file, "'" + file + "' (rw-rw-rw-)");

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(new ConfigLoader(home, home).load(file).problems()).isEmpty();

    Path shared = Files.createDirectory(home.resolve("shared"));
    Path moved = Files.move(file, shared.resolve("ebb.conf"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertRefused(moved, "'" + shared + "' (rwxrwxrwx)");
    assertRefused(Configs.file(home, "include \"shared/ebb.conf\""), "'" + shared + "'");
    assertRefused(Files.createSymbolicLink(home.resolve("link.conf"), moved), "'" + shared + "'");
  }

  private void assertRefused(Path file, String who) {
    assertThatThrownBy(() -> new ConfigLoader(home, home).load(file))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("other users can write " + who)
        .hasMessageContaining("chmod go-w");
  }

  @Test
  void settingsOfStrategiesAreKeptAsTheyAre() {
    StrategySettings policies =
        read("ebb.eviction.policies { s3-fifo { small = 0.1, plugin = acme } }")
            .orThrow()
            .eviction()
            .policies();

    assertThat(policies.names()).containsExactly("s3-fifo");
    assertThat(policies.plugin("s3-fifo")).isEqualTo("acme");
    assertThat(policies.of("s3-fifo").root().unwrapped()).containsOnlyKeys("small");
    assertThat(policies.of("lru").isEmpty()).isTrue();
    assertThat(policies.plugin("lru")).isNull();
  }

  @Test
  void aKeyOfOtherSoftwareIsAnsweredWithEbbsKey() {
    assertThat(read("ebb.pool.gpu_memory_utilization = 0.9").problems())
        .singleElement()
        .asString()
        .contains("'ebb.pool.size'");
    assertThat(read("maxmemory-policy = allkeys-lru").problems())
        .singleElement()
        .asString()
        .contains("'ebb.eviction.policy'");
  }

  @Test
  void theAnswersForKeysOfOtherSoftwareExist() throws IOException {
    Properties names = new Properties();
    try (InputStream in = ForeignNames.class.getResourceAsStream("foreign-names.properties")) {
      names.load(in);
    }

    assertThat(names.stringPropertyNames().stream().filter(name -> name.startsWith("key.")))
        .isNotEmpty()
        .map(names::getProperty)
        .filteredOn(answer -> answer.indexOf(' ') < 0)
        .allMatch(key -> ConfigKeys.find(key).isPresent());
  }

  @Test
  void allMistakesAreReportedTogetherWithFileAndLine() {
    List<String> problems =
        read("""
        ebb {
          eviction {
            polcy = arc
            threshold = "0.8"
            target = 1.5
            policies { lru = 5 }
          }
          plugins = here
          tokens.policy = [a]
        }
        evction {}
        """)
            .problems();

    assertThat(problems)
        .containsExactlyInAnyOrder(
            at(3)
                + "unknown key 'ebb.eviction.polcy' (did you mean 'policy'?); allowed: [deadline,"
                + " log, log-file, log-file-size, log-files, log-size, min-access-count,"
                + " pin-budget, policies, policy, predictors, probation-ratio, respect-priority,"
                + " rules, target, threshold, ttl]",
            at(4)
                + "ebb.eviction.threshold = '0.8' must be a number from 0 to 1, written without"
                + " quotes",
            at(5) + "ebb.eviction.target = '1.5' must be a number from 0 to 1",
            at(6) + "ebb.eviction.policies.lru = '5' must be a section: { ... }",
            at(8) + "ebb.plugins = 'here' must be a section: { ... }",
            at(9) + "ebb.tokens.policy = '[\"a\"]' must be a text",
            at(11) + "unknown key 'evction'; allowed: [ebb]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ebb.server.pasword = s3cret",
        "ebb.server.password = [s3cret]",
        "ebb.server.password = { a = s3cret }",
        "ebb.admin = s3cret",
        "ebb = s3cret",
        "server.password = s3cret",
        "ebb.server { password s3cret }",
        "ebb.server.password \"s3cret\"",
        "ebb.server.password = 'a, s3cret, b'",
        "ebb.server.password = x{s3cret",
        "ebb.server.password = {} s3cret",
        "ebb.server.password = \"\\us3cret\"",
      })
  void aMistypedSecretIsNotShown(String text) {
    Path file = Configs.file(home, text);
    assertThatThrownBy(() -> new ConfigLoader(home, home).load(file).orThrow())
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith(file + ":1: ")
        .message()
        .doesNotContain("s3cr");
  }

  @Test
  void aSecretOfAPluginIsNotShown() {
    LoadedConfig config =
        read("ebb.eviction.policies.remote { api-key = s3cret, url = x, tokens = 5 }");
    assertThat(config.tree().entries())
        .filteredOn(entry -> entry.key().startsWith("ebb.eviction.policies.remote"))
        .extracting(ConfigEntry::key, ConfigEntry::value)
        .containsExactly(
            tuple("ebb.eviction.policies.remote.api-key", "(set)"),
            tuple("ebb.eviction.policies.remote.tokens", 5),
            tuple("ebb.eviction.policies.remote.url", "x"));
    assertThat(new SettingValue("api-key", "s3cret", ""))
        .isEqualTo(new SettingValue("api-key", "other", ""));
  }

  @Test
  void aListHasALargestNumberOfElements() {
    String names = String.join(",", Collections.nCopies(257, "x"));
    assertThat(read("ebb.shadow.policies = [\"ebb.shadow.policies: lru\"]").problems())
        .singleElement()
        .asString()
        .contains(": 'ebb.shadow.policies: lru' must start with a policy's name");
    assertThat(read("ebb.shadow.policies = [" + names + "]").problems())
        .singleElement()
        .asString()
        .contains("ebb.shadow.policies", "'257'", "at most 32");
    assertThat(read("ebb.shadow.policies = \"" + names + "\"").problems()).hasSize(1);
    assertThat(read("ebb.eviction.rules = [" + names + "]").problems())
        .singleElement()
        .asString()
        .contains("ebb.eviction.rules", "'257'", "at most 256");
  }

  @Test
  void aForgottenRootIsRecognised() {
    assertThat(read("eviction { policy = arc }").problems())
        .containsExactly(
            at(1) + "unknown key 'eviction' (did you mean 'ebb.eviction'?); allowed: [ebb]");
  }

  @Test
  void thresholdAndTargetMustFit() {
    assertThat(read("ebb.eviction { target = 0.97 }").problems())
        .containsExactly(
            at(1) + "ebb.eviction.target = '0.97' must be at most the threshold, 0.95");
  }

  @Test
  void aLengthOfTimeHasAUnit() {
    for (String time : List.of("600", "\"600\"", "\" 5 \"", "\"1.5\"")) {
      assertThat(read("ebb.eviction.ttl = " + time).problems())
          .singleElement()
          .asString()
          .contains("ebb.eviction.ttl = '", "must be a duration with its unit");
    }
    assertThat(read("ebb.eviction.ttl = 10 minutes").orThrow().eviction().ttl())
        .isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void aLookupLeaseIsShort() {
    assertThat(read("ebb.server.lookup-lease = 10 minutes").problems())
        .containsExactly(
            at(1) + "ebb.server.lookup-lease = '10 minutes' must be a duration, at most 1 min");
    assertThat(read("ebb.server.lookup-lease = 1 min").problems()).isEmpty();
    assertThat(read("ebb.server.lookup-lease = 0 s").problems()).isEmpty();
  }

  @Test
  void aDiskTierHasNoneOneOrSeveralPaths() {
    assertThat(read("").orThrow().diskTier().isOn()).isFalse();
    assertThat(read("ebb.tiers.disk.path = /a/ebb").orThrow().diskTier().paths())
        .containsExactly(Path.of("/a/ebb"));
    assertThat(read("ebb.tiers.disk.path = [/a/ebb, /b/ebb]").orThrow().diskTier().paths())
        .containsExactly(Path.of("/a/ebb"), Path.of("/b/ebb"));
    assertThat(read("ebb.tiers.disk.path = [/a/ebb, /a/../a/ebb]").problems())
        .singleElement()
        .asString()
        .contains("ebb.tiers.disk.path", "each path once");
    assertThat(read("ebb.tiers.disk.path = {}").problems())
        .singleElement()
        .asString()
        .contains("ebb.tiers.disk.path");
  }

  @Test
  void chainsAreOfKnownKeysOrOfAPatternOrOff() {
    for (String right : List.of("auto", "off", "*", "mykeys:*", "page-[0-9]")) {
      assertThat(read("ebb.server.chains = \"" + right + "\"").orThrow().server().chains())
          .containsExactly(right);
    }
    for (String wrong : List.of("", "on", "true", "mykeys:", "Auto")) {
      assertThat(read("ebb.server.chains = \"" + wrong + "\"").problems())
          .singleElement()
          .asString()
          .contains("ebb.server.chains = '" + wrong + "'", "auto, off", "mykeys:*");
    }
    assertThat(read("").orThrow().server().chains()).containsExactly("auto");
  }

  @Test
  void modelsHaveGroupsOfKnownKinds() {
    assertThat(
            read("ebb.server.models { \"Qwen/Qwen3.5-*\" { groups = \"state, full\" } }")
                .orThrow()
                .server()
                .models())
        .containsExactly(Map.entry("Qwen/Qwen3.5-*", ObjectGroups.parse("test", "state,full")));
    for (String wrong : List.of("state", "full,mamba", "full,window=0", "")) {
      assertThat(read("ebb.server.models { m { groups = \"" + wrong + "\" } }").problems())
          .singleElement()
          .asString()
          .contains("ebb.server.models.m.groups = '" + wrong + "'", "such as \"full,state\": ");
    }
    assertThat(read("ebb.server.models { a.b { groups = \"full\" } }").problems())
        .anySatisfy(problem -> assertThat(problem).contains("ebb.server.models.a.b", "in quotes"));
  }

  @Test
  void chainsMayBeOfSeveralPatterns() {
    assertThat(read("ebb.server.chains = [auto, \"mykeys:*\"]").orThrow().server().chains())
        .containsExactly("auto", "mykeys:*");
    assertThat(read("ebb.server.chains = [off]").orThrow().server().chains())
        .containsExactly("off");
    assertThat(read("ebb.server.chains = [auto, mykeys]").problems())
        .singleElement()
        .asString()
        .contains("ebb.server.chains[2] = 'mykeys'", "mykeys:*");
    for (String wrong : List.of("[]", "[auto, off]")) {
      assertThat(read("ebb.server.chains = " + wrong).problems())
          .singleElement()
          .asString()
          .contains("ebb.server.chains", "write off alone");
    }
  }

  @Test
  void anEndpointIsAZeroMqAddress() {
    for (String wrong :
        List.of("127.0.0.1:5557", "ipc:///tmp/x", "tcp://host", "tcp://*:65536", "")) {
      assertThat(read("ebb.server.kv-events.endpoint = \"" + wrong + "\"").problems())
          .singleElement()
          .asString()
          .contains("ebb.server.kv-events.endpoint = '" + wrong + "'", "tcp://127.0.0.1:5557");
    }
    KvEventsConfig config =
        read("""
        ebb.server.kv-events {
          enabled = true
          endpoint = "tcp://*:7000"
          replay-endpoint = "tcp://[::1]:7001"
          format = array
          sources = ["tcp://10.0.0.1:5557", "tcp://10.0.0.2:5557"]
          replay-sources = ["tcp://10.0.0.1:5558"]
          block-size = 16
          token-memory = 1 MiB
        }
        """)
            .orThrow()
            .server()
            .kvEvents();
    assertThat(config)
        .isEqualTo(
            new KvEventsConfig(
                true,
                "tcp://*:7000",
                false,
                "tcp://[::1]:7001",
                "",
                "CPU",
                KvEventsFormat.ARRAY,
                10_000,
                new KvEventsConfig.TokenSources(
                    List.of("tcp://10.0.0.1:5557", "tcp://10.0.0.2:5557"),
                    List.of("tcp://10.0.0.1:5558"),
                    16,
                    1 << 20)));
    assertThat(read("ebb.server.kv-events.sources = [\"vllm\"]").problems())
        .singleElement()
        .asString()
        .contains("'vllm'", "tcp://127.0.0.1:5557");
    assertThat(read("").orThrow().server().kvEvents().replayEndpoint()).isNull();
  }

  @Test
  void withoutATargetItFollowsTheThreshold() {
    assertThat(read("ebb.eviction.threshold = 0.5").orThrow().eviction().target()).isEqualTo(0.46);
    assertThat(read("ebb.eviction.threshold = 0.02").orThrow().eviction().target()).isZero();
    assertThat(read("ebb.eviction.threshold = 0.99").orThrow().eviction().target()).isEqualTo(0.91);
  }

  @Test
  void theTargetThatFollowsIsShown() {
    List<ConfigEntry> entries = read("ebb.eviction.threshold = 0.5").tree().entries();
    assertThat(entries)
        .filteredOn(entry -> entry.key().equals("ebb.eviction.target"))
        .containsExactly(new ConfigEntry("ebb.eviction.target", 0.46, null));
  }

  @Test
  void aFileInTheSameFolderIsIncludedUnderAnyName() throws IOException {
    Path here = Files.createTempDirectory(Path.of("target"), "include");
    Files.writeString(here.resolve("more.conf"), "ebb.eviction.log-size = 77");
    Path file = Configs.file(here, "include \"more.conf\"\nebb.server.port = -1");
    Path relative = Path.of("").toAbsolutePath().relativize(file.toAbsolutePath());

    LoadedConfig loaded = new ConfigLoader(home, home).load(relative);

    assertThat(loaded.config().eviction().logSize()).isEqualTo(77);
    assertThat(loaded.problems())
        .singleElement()
        .asString()
        .startsWith(relative + ":2: ebb.server.port = '-1'");
  }

  @Test
  void foldersAreRelativeToTheFileThatNamesThem() throws IOException {
    Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
    Path file = Configs.file(elsewhere, "ebb.plugins.folder = ../mine");

    PluginsConfig plugins = new ConfigLoader(home, home).load(file).orThrow().plugins();

    assertThat(plugins.folder()).isEqualTo(home.resolve("mine"));
    assertThat(plugins.run()).isEqualTo(home.resolve("run"));
  }

  @Test
  void nullMeansTheDefault() {
    EbbConfig config = read("ebb { eviction { threshold = null }, tokens = null }").orThrow();

    assertThat(config.eviction().threshold()).isEqualTo(0.95);
    assertThat(config.tokens().policy().name()).isEqualTo("none");
  }

  @Test
  void allMistakesAreThrownTogether() {
    assertThatThrownBy(() -> read("a = 1\nb = 2").orThrow())
        .isInstanceOfSatisfying(UserError.class, error -> assertThat(error.messages()).hasSize(2));
  }

  @Test
  void aSyntaxErrorShowsFileAndLine() {
    assertThatThrownBy(() -> read("ebb {\n  eviction { policy = = arc }\n}"))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith(at(2) + "Expecting a value but got wrong token: '='");
  }

  @Test
  void deepNestingIsReported() {
    String message =
        home.resolve("ebb.conf")
            + ": it is nested too deep; use fewer levels of sections, lists and keys";
    for (String text :
        List.of(
            "{a:".repeat(50_000),
            "ebb" + ".a".repeat(50_000) + " = 1",
            "a=" + "[".repeat(50_000))) {
      assertThatThrownBy(() -> read(text)).isInstanceOf(UserError.class).hasMessage(message);
    }
  }

  @Test
  void anUnknownSubstitutionShowsFileAndLine() {
    assertThatThrownBy(() -> read("\nebb.eviction.policy = ${nobody}"))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll(
            at(2), "Could not resolve substitution to a value: ${nobody}", "environment");
  }

  @Test
  void allUnknownSubstitutionsAreReported() {
    assertThatThrownBy(() ->
            read(
                "ebb.eviction.policy = ${EBB_NONE}\n"
                    + "ebb.plugins.folder = ${?EBB_OPTIONAL}\n"
                    + "ebb.server.bind = ${EBB_NEITHER}"))
        .isInstanceOfSatisfying(
            UserError.class,
            wrong ->
                assertThat(wrong.messages())
                    .satisfiesExactlyInAnyOrder(
                        first -> assertThat(first).contains(at(1), "${EBB_NONE}"),
                        second -> assertThat(second).contains(at(3), "${EBB_NEITHER}")));
  }

  @Test
  void aMissingIncludeShowsFileAndLine() throws IOException {
    for (String missing : List.of("include \"gone.conf\"", "include file(\"gone.conf\")")) {
      assertThatThrownBy(() -> read("# include\n" + missing))
          .isInstanceOf(UserError.class)
          .hasMessageContainingAll(at(2), "'gone.conf'", "does not exist", "remove the include");
    }
    Path nested = Files.writeString(home.resolve("nested.conf"), "\n\ninclude \"lost\"");
    assertThatThrownBy(() -> read("include \"nested.conf\""))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll(nested + ":3: ", "'lost'");
  }

  @Test
  void aBraceThatIsNotClosedIsNamed() {
    for (String text :
        List.of("ebb {\n  server {\n    port = 1 # }\n}\n", "\nebb { \"a}\" = \"\"\"}\n\"\"\"")) {
      assertThatThrownBy(() -> read(text))
          .isInstanceOf(UserError.class)
          .hasMessageContainingAll(text.startsWith("ebb") ? at(1) : at(2), "'{'", "add '}'");
    }
  }

  @Test
  void aMissingFileIsReported() {
    Path missing = home.resolve("missing.conf");

    assertThatThrownBy(() -> new ConfigLoader(home, home).load(missing))
        .isInstanceOf(UserError.class)
        .hasMessage("no configuration file '%s'", missing);
  }

  @Test
  void aDirectoryInPlaceOfTheFileIsReported() {
    assertThatThrownBy(() -> new ConfigLoader(home, home).load(home))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'" + home + "' is a directory", "'" + home.resolve("ebb.conf"));
  }

  private LoadedConfig read(String text) {
    return Configs.of(home, text);
  }

  private String at(int line) {
    return home.resolve("ebb.conf") + ":" + line + ": ";
  }
}
