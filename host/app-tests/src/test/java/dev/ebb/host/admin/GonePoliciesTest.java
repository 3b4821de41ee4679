package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration of a running process names policies whose JAR is gone. */
class GonePoliciesTest {

  /** Nothing of a removed JAR serves on, neither active nor as a shadow. */
  private static final String SETTINGS =
      """
      ebb.plugins.on-removed = fall-back
      ebb.shadow.policies = [badger, marmot]
      ebb.eviction.policies.badger.bonus = 1
      ebb.eviction.rules = [
        { name = full, when = occupancy, above = "99.5 %", clear-at = "98 %", policy = badger }
      ]
      """;

  private static final String NO_BADGER =
      "no policy named 'badger'; available: [first, second, third, auto, none];"
          + " install its JAR with 'ebb plugins install FILE'";

  @TempDir private Path home;
  private Path jar;

  @BeforeEach
  void makeJar() {
    jar =
        PluginJarBuilder.plugin("badger")
            .policy(
                "badger",
                """
                context.settings().integer("bonus", 1, 1, 10);
                context.settings().integer("malus", 1, 1, 10);
                """)
            .policy("marmot")
            .writeTo(Configs.plugins(home), "badger.jar");
  }

  @Test
  void theyKeepNoOtherChangeFromBeingMade() throws IOException {
    try (AdminProcess process = AdminProcess.start(home, SETTINGS)) {
      removeJar(process);

      assertDone(patch(process, "\"ebb.eviction.ttl\": \"2 h\""));
      assertDone(patch(process, "\"ebb.eviction.threshold\": 0.8"));
      assertDone(process.call("PUT", "/api/v1/policy", "{\"policy\": \"second\"}"));
      assertDone(process.call("POST", "/api/v1/shadows", "{\"policies\": [\"third\"]}"));
      assertDone(process.delete("/api/v1/shadows/badger"));
      assertDone(patch(process, "\"ebb.eviction.rules\": []"));

      assertThat(process.serving().policy()).isEqualTo("second");
      assertThat(process.get("/api/v1/config").body())
          .contains("{\"key\":\"ebb.shadow.policies\",\"value\":[\"marmot\",\"third\"]");
    }
  }

  @Test
  void aChangeThatNamesOneIsRefusedWithItsKey() throws IOException {
    try (AdminProcess process = AdminProcess.start(home, SETTINGS)) {
      removeJar(process);
      process.delete("/api/v1/shadows/badger");

      assertThat(process.call("POST", "/api/v1/shadows", "{\"policies\": [\"badger\"]}").error())
          .isEqualTo("ebb.shadow.policies: " + NO_BADGER);
      assertThat(process.call("PUT", "/api/v1/policy", "{\"policy\": \"badger\"}").error())
          .isEqualTo(NO_BADGER);
      assertThat(
              patch(
                      process,
                      """
                      "ebb.eviction.rules": [{"name": "full", "when": "occupancy",
                        "above": "99 %", "clear-at": "98 %", "policy": "badger"}]
                      """)
                  .error())
          .isEqualTo("ebb.eviction.rules[full].policy: " + NO_BADGER);
      assertThat(patch(process, "\"ebb.eviction.policies.badger.malus\": 2").error())
          .endsWith(": ebb.eviction.policies.badger: " + NO_BADGER);
      assertThat(patch(process, "\"ebb.eviction.policies.secnd.size.most\": 2").error())
          .isEqualTo(
              "ebb.eviction.policies.secnd: no policy named 'secnd' (did you mean"
                  + " 'second'?); available: [first, second, third, auto, none]");
    }
  }

  /** The copy of the JAR stays loaded, because a shadow uses it. */
  @Test
  void aPolicyIsNotActivatedFromACopyThatIsStillLoaded() throws IOException {
    String keep = "ebb.eviction.policy = badger, ebb.shadow.policies = [marmot]";
    try (AdminProcess process = AdminProcess.start(home, keep)) {
      Files.delete(jar);
      assertDone(process.call("PUT", "/api/v1/policy", "{\"policy\": \"badger\"}"));
      assertDone(process.call("PUT", "/api/v1/policy", "{\"policy\": \"second\"}"));

      Answer refused = process.call("PUT", "/api/v1/policy", "{\"policy\": \"badger\"}");

      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.error()).contains("'badger'", "'badger.jar' was removed");
      assertThat(process.serving().policy()).isEqualTo("second");
      assertDone(process.call("POST", "/api/v1/policy/rollback", "{}"));
      assertThat(process.serving().policy()).isEqualTo("badger");
    }
  }

  @Test
  void theirSettingsCanBeReverted() throws IOException {
    try (AdminProcess process = AdminProcess.start(home, SETTINGS)) {
      assertDone(patch(process, "\"ebb.eviction.policies.badger\": {\"bonus\": 2, \"malus\": 3}"));
      removeJar(process);

      assertDone(patch(process, "\"ebb.eviction.policies.badger.malus\": null"));
      assertThat(
              patch(process, "\"ebb.eviction.policies.badger\": null")
                  .json()
                  .at("/changes")
                  .toString())
          .isEqualTo("[{\"key\":\"ebb.eviction.policies.badger.bonus\",\"from\":2,\"to\":1}]");
    }
  }

  @Test
  void settingsOfAnActivePolicyWhoseJarWasReplacedCanBeReverted() {
    try (AdminProcess process = AdminProcess.start(home, "ebb.eviction.policy = badger")) {
      assertDone(patch(process, "\"ebb.eviction.policies.badger.malus\": 3"));
      PluginJarBuilder.plugin("badger")
          .version("9.0.0")
          .policy("good")
          .writeTo(Configs.plugins(home), "usurper.jar");
      process.call("POST", "/api/v1/plugins/reload", "{}");
      assertThat(process.get("/api/v1/policies").body()).contains("\"good\"");

      assertDone(patch(process, "\"ebb.eviction.policies.badger\": null"));

      assertThat(process.serving().policy()).isEqualTo("badger");
      assertThat(process.get("/api/v1/config").body()).doesNotContain("malus");
    }
  }

  /** Its copy is dropped by a reload after the last shadow that used it has ended on its thread. */
  private void removeJar(AdminProcess process) throws IOException {
    Files.delete(jar);
    Awaiting.until(() -> {
      process.call("POST", "/api/v1/plugins/reload", "{}");
      return !process.get("/api/v1/plugins").body().contains("badger");
    });
  }

  private static void assertDone(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isBetween(200, 201);
  }

  private static Answer patch(AdminProcess process, String changes) {
    long version = process.get("/api/v1/config").as(ConfigDocument.class).version();
    return process.call(
        "PATCH",
        "/api/v1/config",
        "{\"version\": %d, \"changes\": {%s}}".formatted(version, changes));
  }
}
