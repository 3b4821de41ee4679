package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.SwapDocument;
import dev.ebb.host.config.Configs;
import dev.ebb.host.runtime.RuntimeConfig;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of a policy change while it is active. */
class PolicySettingsTest {

  private static final String FILE =
      """
      ebb.pool.size = 2 MiB
      ebb.server.port = 0
      ebb.admin.port = 0
      ebb.eviction.policy = second
      ebb.plugins.rescan = 1 s
      """;

  @TempDir private Path home;
  private AdminProcess process;

  @BeforeEach
  void start() {
    process = AdminProcess.start(home, "ebb.eviction.policy = second\nebb.plugins.rescan = 1 s\n");
    process.put("key", 1000);
  }

  @AfterEach
  void stop() {
    process.close();
  }

  @Test
  void theActivePolicyIsCreatedAgainWithThem() {
    Answer changed = set("ebb.eviction.policies.second.size", "7");

    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    assertThat(size()).isEqualTo(7);
    assertThat(switches()).isEqualTo(2);
    assertThat(process.jedis().get("key")).hasSize(1000);
  }

  @Test
  void settingsOfAnotherPolicyWaitUntilItIsChosen() {
    set("ebb.eviction.policy", "\"first\"");
    set("ebb.eviction.policies.second.size", "7");
    assertThat(switches()).isEqualTo(2);

    set("ebb.eviction.policy", "\"second\"");
    assertThat(switches()).isEqualTo(3);
    assertThat(size()).isEqualTo(7);
  }

  @Test
  void severalSettingsAreOneSwitch() {
    Answer changed = choose("second(size=7, ageing=none)");

    assertThat(changed.as(PolicyDocument.Changed.class).changes())
        .containsExactly(
            new RuntimeConfig.Change("ebb.eviction.policies.second.ageing", "", "none"),
            new RuntimeConfig.Change("ebb.eviction.policies.second.size", "", 7));
    assertThat(switches()).isEqualTo(2);
  }

  @Test
  void anotherPolicyAndSettingsOfTheActiveOneAreOneSwitch() {
    Answer changed =
        process.call(
            "PATCH",
            "/api/v1/config",
            "{\"version\": 1, \"changes\": {\"ebb.eviction.policies.second.size\": 7,"
                + " \"ebb.eviction.policy\": \"first\"}}");

    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    assertThat(history()).extracting(each -> each.to().policy()).containsExactly("second", "first");
    assertThat(size()).isEqualTo(7);
  }

  @Test
  void choicesAndOtherChangesAtTheSameTimeAreAllRecorded() throws Exception {
    int rounds = 20;
    Callable<Void> choices =
        () -> {
          for (int i = 0; i < rounds; i++) {
            assertThat(choose(i % 2 == 0 ? "first" : "second").status()).isEqualTo(200);
          }
          return null;
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Void> chosen = threads.submit(choices);
      for (int i = 1; i <= rounds; i++) {
        Answer changed;
        do {
          changed = set("ebb.eviction.ttl", "\"%d min\"".formatted(i));
        } while (changed.status() == 409);
        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
      }
      chosen.get();
    }

    assertThat(process.get("/api/v1/config").as(ConfigDocument.class).version())
        .isEqualTo(1 + 2 * rounds);
    assertThat(switches()).isEqualTo(1 + rounds);
    PolicyDocument policy = process.get("/api/v1/policy").as(PolicyDocument.class);
    assertThat(policy.configured()).isEqualTo(policy.policy()).isEqualTo("second");
  }

  @Test
  void settingsReadNeitherFilesNorTheEnvironment() throws IOException {
    Path secret = Files.writeString(home.resolve("secret.conf"), "size = 4711\n");

    Answer included = choose("second(include file(\\\"%s\\\"))".formatted(secret));
    Answer substituted = choose("second(size=${PATH})");

    assertThat(included.status()).isEqualTo(400);
    assertThat(included.body()).contains("includes are not allowed").doesNotContain("4711");
    assertThat(substituted.status()).isEqualTo(400);
    assertThat(substituted.body())
        .contains("'size' is '${PATH}'")
        .doesNotContain(System.getenv("PATH"));
    assertThat(switches()).isEqualTo(1);
  }

  @Test
  void aPolicyIsChosenWithItsSettings() {
    set("ebb.eviction.policy", "\"first\"");

    assertThat(choose("second(size=8)").as(PolicyDocument.Changed.class).policy())
        .isEqualTo("second");
    assertThat(size()).isEqualTo(8);
    assertThat(history().get(0).settings()).isEmpty();
    assertThat(history().get(2).settings()).isEqualTo(Map.of("size", 8));
  }

  @Test
  void aMistakeChangesNothing() {
    assertThat(choose("second(size=11)").error())
        .contains("ebb.eviction.policies.second.size = '11' must be");
    assertThat(set("ebb.eviction.policies.second.siz", "7").error())
        .isEqualTo(
            "unknown setting 'siz' (did you mean 'size'?) for policy 'second'; allowed: ageing, size");
    assertThat(choose("second(foo=1)").error())
        .isEqualTo("unknown setting 'foo' for policy 'second'; allowed: ageing, size");
    assertThat(choose("second(plugin=acme)").error())
        .startsWith("'ebb.eviction.policies.second.plugin' cannot change while Ebb runs");
    assertThat(choose("builtin-lru").error()).contains("'builtin-lru'", "choose another policy");
    assertThat(set("ebb.eviction.policies.secnd.size", "7").error())
        .contains("no policy named 'secnd'");
    assertThat(choose("none(x=1)").error()).contains("'none' has no settings");
    assertThat(choose("second(size=7").error()).contains("must end with the parenthesis");
    assertThat(set("ebb.eviction.policies.second.plugin", "\"acme\"").error())
        .isEqualTo(
            "'ebb.eviction.policies.second.plugin' cannot change while Ebb runs: which plugin serves a name is decided when plugins are loaded; set it in the configuration file and restart Ebb");
    assertThat(set("ebb.eviction.policies.second", "5").error())
        .isEqualTo("ebb.eviction.policies.second = '5' must be a section: { ... }");

    assertThat(size()).isEqualTo(4);
    assertThat(history()).filteredOn(SwapDocument::published).hasSize(1);
    assertThat(process.get("/api/v1/config").as(ConfigDocument.class).version()).isEqualTo(1);
  }

  @Test
  void aSectionSaysSomeOfThemAndLeavesTheOthers() {
    set("ebb.eviction.policies.second.ageing", "\"none\"");
    Answer changed = set("ebb.eviction.policies.second", "{\"size\": 6}");

    assertThat(changed.as(ConfigDocument.Changed.class).changes())
        .containsExactly(new RuntimeConfig.Change("ebb.eviction.policies.second.size", "", 6));
    assertThat(size()).isEqualTo(6);

    Answer back = set("ebb.eviction.policies.second", "null");
    assertThat(back.as(ConfigDocument.Changed.class).changes()).hasSize(2);
    assertThat(size()).isEqualTo(4);
    assertThat(set("ebb.eviction.policies.second.size", "null").error())
        .startsWith("'ebb.eviction.policies.second.size' is as the file or the default says");
  }

  @Test
  void theFileChangesThemAndTakesThemBack() {
    Configs.file(home, FILE + "ebb.eviction.policies.second.size = 9");
    Awaiting.until(() -> size().equals(9));

    Configs.file(home, FILE);
    Awaiting.until(() -> size().equals(4));
  }

  private Answer set(String key, String value) {
    long version = process.get("/api/v1/config").as(ConfigDocument.class).version();
    return process.call(
        "PATCH",
        "/api/v1/config",
        "{\"version\": %d, \"changes\": {\"%s\": %s}}".formatted(version, key, value));
  }

  private Answer choose(String policy) {
    return process.call("PUT", "/api/v1/policy", "{\"policy\": \"%s\"}".formatted(policy));
  }

  /** What the policy asked for when it was made. */
  private Object size() {
    return process.get("/api/v1/policies").as(PolicyDocument.All.class).policies().stream()
        .filter(policy -> policy.name().equals("second"))
        .map(policy -> policy.settings().get(1).value())
        .findFirst()
        .orElseThrow();
  }

  private List<SwapDocument> history() {
    return process.get("/api/v1/plugins/history").as(SwapDocument.History.class).history();
  }

  private int switches() {
    return history().size();
  }
}
