package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A policy that one node tries and that cannot go back to the policy before. */
class CanaryTest {

  private static final String CANARY = "/api/v1/policy/canary";

  @RegisterExtension final LogLines log = new LogLines("dev.ebb.host.admin.rollout");

  @TempDir private Path home;

  private List<ILoggingEvent> failures() {
    return log.events().stream()
        .filter(line -> line.getMessage().startsWith("canary cannot go back"))
        .toList();
  }

  private void policies(String version, String... names) {
    PluginJarBuilder jar = PluginJarBuilder.plugin("acme").version(version);
    for (String name : names) {
      jar.policy(name);
    }
    jar.writeTo(Configs.plugins(home), "acme.jar");
  }

  /** The node tries "second", and "first" is not installed any more. */
  private AdminProcess stuck() {
    AdminProcess process = AdminProcess.start(home, "ebb.plugins.reload = false\n");
    assertThat(process.call("POST", CANARY, "{\"policy\":\"second\",\"seconds\":1000}").status())
        .isEqualTo(201);
    policies("2.0.0", "second");
    assertThat(process.call("POST", "/api/v1/plugins/reload", "{}").status()).isEqualTo(200);
    AdminProcess.Answer refused = process.delete(CANARY);
    assertThat(refused.status()).isGreaterThanOrEqualTo(400);
    assertThat(refused.error()).contains("'first'");
    return process;
  }

  @Test
  void aNodeThatCannotGoBackSaysSoAtGrowingIntervals() {
    try (AdminProcess process = stuck()) {
      Awaiting.until(() -> failures().size() == 2);
      assertThat(failures())
          .allSatisfy(line -> {
            assertThat(line.getFormattedMessage())
                .contains("policy=second before=first", "'first'", "ebb policy set NAME");
            assertThat(line.getThrowableProxy()).isNull();
          })
          .extracting(line -> line.getArgumentArray()[3])
          .containsExactly("1 s", "2 s");
      JsonNode state = process.get(CANARY).json();
      assertThat(state.get("state").asString()).isEqualTo("running");
      assertThat(state.get("reason").asString()).contains("operator");
      assertThat(state.get("failure").asString()).contains("'first'");

      policies("3.0.0", "first", "second");
      process.call("POST", "/api/v1/plugins/reload", "{}");
      Awaiting.until(() -> process.get(CANARY).json().get("state").asString().equals("reverted"));
      assertThat(process.get(CANARY).json().get("failure").isNull()).isTrue();
      assertThat(process.get("/api/v1/policy").body()).contains("first");
    }
  }

  @Test
  void anOperatorsChoiceEndsATrialThatCannotGoBack() {
    try (AdminProcess process = stuck()) {
      policies("3.0.0", "second", "third");
      process.call("POST", "/api/v1/plugins/reload", "{}");
      assertThat(process.call("PUT", "/api/v1/policy", "{\"policy\":\"third\"}").status())
          .isEqualTo(200);
      Awaiting.until(() -> process.get(CANARY).json().get("state").asString().equals("overridden"));
    }
  }
}
