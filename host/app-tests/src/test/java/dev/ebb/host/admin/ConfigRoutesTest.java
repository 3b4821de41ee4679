package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.config.ConfigKeys;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.key.ConfigKey;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ConfigRoutesTest {

  @TempDir private Path home;

  @SuppressWarnings("NullAway.Init")
  private AdminProcess process;

  @BeforeEach
  void start() {
    process =
        AdminProcess.start(home, "ebb.server.password = \"s3cret\"\nebb.eviction.ttl = 5 m\n");
  }

  @AfterEach
  void stop() {
    process.close();
  }

  @Test
  void everyValueIsShownWithItsOrigin() {
    JsonNode config = process.get("/api/v1/config").json();

    assertThat(config.get("version").longValue()).isEqualTo(1);
    assertThat(value(config, "ebb.eviction.ttl").get("origin").asString())
        .isEqualTo(home.resolve("ebb.conf") + ":6");
    assertThat(value(config, "ebb.eviction.ttl").get("value").asString()).isEqualTo("5 m");
    assertThat(value(config, "ebb.server.threads").get("origin").isNull()).isTrue();
    assertThat(value(config, "ebb.server.threads").get("changeable").booleanValue()).isFalse();
    assertThat(value(config, "ebb.eviction.policy").get("changeable").booleanValue()).isTrue();
  }

  @Test
  void everyKeyThatIsDeclaredLiveCanChange() {
    List<String> changeable =
        process
            .get("/api/v1/config")
            .json()
            .get("values")
            .valueStream()
            .filter(value -> value.get("changeable").booleanValue())
            .map(value -> value.get("key").asString())
            .toList();

    assertThat(changeable)
        .containsExactlyInAnyOrderElementsOf(
            ConfigKeys.ALL.stream()
                .filter(key -> key.live() && key.pattern().equals(key.path()))
                // There are no sequences here.
                .filter(key -> key != TokensConfig.POLICY)
                .map(ConfigKey::path)
                .toList());
  }

  @Test
  void secretsAreNotShown() {
    Answer answer = process.get("/api/v1/config");

    assertThat(answer.body()).doesNotContain("s3cret");
    assertThat(value(answer.json(), "ebb.server.password").get("value").asString())
        .isEqualTo("(set)");
    assertThat(value(answer.json(), "ebb.admin.token").get("value").asString()).isEmpty();
  }

  @Test
  void aChangeIsPlannedThenCommitted() {
    Answer plan = patch("{\"dryRun\": true, \"changes\": {\"ebb.eviction.policy\": \"second\"}}");
    assertThat(plan.json().toString())
        .isEqualTo(
            "{\"version\":1,\"committed\":false,\"changes\":"
                + "[{\"key\":\"ebb.eviction.policy\",\"from\":\"first\",\"to\":\"second\"}],"
                + "\"policy\":\"first\",\"rulesPaused\":false}");
    assertThat(process.serving().policy()).isEqualTo("first");

    Answer commit = patch("{\"version\": 1, \"changes\": {\"ebb.eviction.policy\": \"second\"}}");
    assertThat(commit.json().get("version").longValue()).isEqualTo(2);
    assertThat(process.serving().policy()).isEqualTo("second");
    JsonNode shown = value(process.get("/api/v1/config").json(), "ebb.eviction.policy");
    assertThat(shown.get("origin").asString()).isEqualTo("admin");
  }

  @Test
  void aBodyThatSaysSomethingTwiceIsRefused() {
    Answer twice = patch("{\"version\": 1, \"dryRun\": true, \"dryRun\": false, \"changes\": {}}");
    assertThat(twice.status()).isEqualTo(400);
    assertThat(twice.error()).contains("twice", "dryRun");

    Answer deep = patch("[".repeat(20_000));
    assertThat(deep.status()).isEqualTo(400);
    assertThat(deep.error()).contains("nested too deep");
  }

  @Test
  void aKeyThatNeedsARestartIsDistinguished() {
    Answer answer = patch("{\"version\": 1, \"changes\": {\"ebb.eviction.min-access-count\": 2}}");
    assertThat(answer.error()).contains("set it in the configuration file and restart Ebb");
  }

  @Test
  void whoSawAnOldVersionChangesNothing() {
    patch("{\"version\": 1, \"changes\": {\"ebb.eviction.policy\": \"second\"}}");

    Answer stale = patch("{\"version\": 1, \"changes\": {\"ebb.eviction.policy\": \"none\"}}");

    assertThat(stale.status()).isEqualTo(409);
    assertThat(stale.error()).contains("'1' is out of date, '2' is active");
    assertThat(process.serving().policy()).isEqualTo("second");
  }

  @Test
  void everyMistakeIsReportedAndNothingChanges() {
    Answer wrong =
        patch(
            """
            {"version": 1, "changes": {
              "ebb.eviction.policy": "second", "ebb.server.port": 1, "ebb.eviction.polcy": "x"}}
            """);

    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.error())
        .contains("'ebb.server.port' cannot change while Ebb runs")
        .contains("did you mean 'ebb.eviction.policy'?");
    assertThat(process.serving().policy()).isEqualTo("first");
  }

  @Test
  void aChangeWithoutAVersionOrWithoutChangesIsRefused() {
    assertThat(patch("{\"changes\": {\"ebb.eviction.policy\": \"second\"}}").error())
        .isEqualTo("the property 'version' is missing");
    assertThat(patch("{\"version\": 1, \"changes\": {}}").error()).startsWith("'changes' must be");
    assertThat(patch("{\"version\": 1}").error()).startsWith("'changes' must be");
    assertThat(patch("{\"version\": 1, \"changes\": {\"ebb.eviction.policy\": []}}").error())
        .contains("must be a text");
  }

  @Test
  void changesAreRevertedToTheFileOrTheDefault() {
    assertThat(patch("{\"version\": 1, \"changes\": {\"ebb.eviction.ttl\": null}}").error())
        .isEqualTo(
            "'ebb.eviction.ttl' is as the file or the default says; changed since the start: []");
    patch(
        "{\"version\": 1, \"changes\": {\"ebb.eviction\": {\"ttl\": \"9 m\", \"threshold\":"
            + " 0.5}}}");
    assertThat(shown("ebb.eviction.ttl").get("value").asString()).isEqualTo("9 m");

    assertThat(patch("{\"version\": 2, \"changes\": {\"ebb.eviction.tl\": null}}").error())
        .contains("did you mean 'ebb.eviction.ttl'?")
        .endsWith("[ebb.eviction.threshold, ebb.eviction.ttl]");
    Answer back = patch("{\"version\": 2, \"changes\": {\"ebb.eviction\": null}}");

    assertThat(back.json().at("/changes").size()).as(back.body()).isEqualTo(3);
    assertThat(shown("ebb.eviction.ttl").get("value").asString()).isEqualTo("5 m");
    assertThat(shown("ebb.eviction.ttl").get("origin").asString())
        .isEqualTo(home.resolve("ebb.conf") + ":6");
    assertThat(shown("ebb.eviction.threshold").get("origin").isNull()).isTrue();
    assertThat(shown("ebb.eviction.target").get("value").doubleValue()).isEqualTo(0.91);
  }

  private JsonNode shown(String key) {
    return value(process.get("/api/v1/config").json(), key);
  }

  private Answer patch(String body) {
    return process.call("PATCH", "/api/v1/config", body);
  }

  private static JsonNode value(JsonNode config, String key) {
    return config
        .get("values")
        .valueStream()
        .filter(value -> value.get("key").asString().equals(key))
        .findFirst()
        .orElseThrow();
  }
}
