package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The configuration file changes while the process serves. */
class ConfigFileTest {

  private static final String FILE =
      """
      ebb.pool.size = 2 MiB
      ebb.server.port = 0
      ebb.admin.port = 0
      ebb.plugins.rescan = 1 s
      """;

  @TempDir private Path home;
  private AdminProcess process;

  @BeforeEach
  void start() {
    process = AdminProcess.start(home, "ebb.plugins.rescan = 1 s\n");
  }

  @AfterEach
  void stop() {
    process.close();
  }

  @Test
  void aGoodChangeIsMade() {
    Configs.file(home, FILE + "ebb.eviction { policy = second, ttl = 5 m }");

    await("/api/v1/policy", document -> document.at("/policy").asString().equals("second"));
    JsonNode last = process.get("/api/v1/plugins/history").json().at("/history/1");
    assertThat(last.at("/cause").asString()).isEqualTo("config file");
    assertThat(last.at("/detail").asString()).isEqualTo("ebb.conf");
    assertThat(value("ebb.eviction.ttl")).isEqualTo("5 m");
  }

  @Test
  void aBadChangeIsReportedWithFileAndLineAndChangesNothing() {
    Configs.file(home, FILE + "ebb.eviction { ttl = 5 m, policy = secnd }");

    JsonNode document = await("/api/v1/config", config -> !config.at("/fileProblems").isEmpty());
    assertThat(document.at("/fileProblems/0").asString())
        .startsWith(
            home.resolve("ebb.conf")
                + ":5: ebb.eviction.policy: no policy named 'secnd'; available: [first, second, third, none]");
    assertThat(value("ebb.eviction.ttl")).isEqualTo("1 h");

    Configs.file(home, FILE + "ebb.eviction { policy = first, ttl = soon }");
    document =
        await(
            "/api/v1/config",
            config -> config.at("/fileProblems/0").asString("").contains("'soon'"));
    assertThat(document.at("/fileProblems/0").asString())
        .startsWith(home.resolve("ebb.conf") + ":5: ebb.eviction.ttl = 'soon' must be");

    Configs.file(home, FILE + "ebb.eviction { policy = first, ttl = 7 m }");
    await("/api/v1/config", config -> config.at("/fileProblems").isEmpty());
    assertThat(value("ebb.eviction.ttl")).isEqualTo("7 m");
  }

  @Test
  void aMistakeInAPolicysSettingsOrInARuleHasItsPlaceToo() {
    Configs.file(
        home,
        FILE
            + """
            ebb.eviction {
              policy = first
              policies.second.size = 99
              policies.secnd.size = 5
            }
            """);

    JsonNode document = await("/api/v1/config", config -> !config.at("/fileProblems").isEmpty());
    assertThat(document.at("/fileProblems").valueStream().map(JsonNode::asString))
        .satisfiesExactlyInAnyOrder(
            size ->
                assertThat(size)
                    .startsWith(place(7) + "ebb.eviction.policies.second.size = '99' must be"),
            name ->
                assertThat(name)
                    .startsWith(place(8) + "ebb.eviction.policies.secnd: no policy named 'secnd'"));

    Configs.file(
        home,
        FILE
            + """
            ebb.eviction.policy = first
            ebb.eviction.rules = [
              { name = full, when = occupancy, above = "9 %", clear-at = "8 %", policy = lru }
            ]
            """);
    document =
        await(
            "/api/v1/config",
            config -> config.at("/fileProblems/0").asString("").contains("rules"));
    assertThat(document.at("/fileProblems/0").asString())
        .startsWith(place(7) + "ebb.eviction.rules[full].policy: no policy named 'lru'");
  }

  @Test
  void aGoodChangeOfTheFileIsShownWithItsPlace() {
    Configs.file(home, FILE + "ebb.eviction { policy = first, ttl = 5 m }");
    JsonNode document =
        await("/api/v1/config", config -> origin(config, "ebb.eviction.ttl").endsWith(":5"));
    assertThat(origin(document, "ebb.eviction.ttl") + ": ").isEqualTo(place(5));

    Configs.file(home, FILE + "ebb.eviction.policy = first");
    await("/api/v1/config", config -> origin(config, "ebb.eviction.ttl").isEmpty());
    assertThat(value("ebb.eviction.ttl")).isEqualTo("1 h");
  }

  private String place(int line) {
    return "%s:%d: ".formatted(home.resolve("ebb.conf"), line);
  }

  private static String origin(JsonNode config, String key) {
    return config
        .at("/values")
        .valueStream()
        .filter(value -> value.at("/key").asString().equals(key))
        .map(value -> value.at("/origin").asString(""))
        .findFirst()
        .orElse("no such key");
  }

  @Test
  void whatNeedsARestartIsNamed() {
    Configs.file(home, FILE + "ebb { eviction.policy = first, server.max-value = 1 MiB }");

    JsonNode document = await("/api/v1/config", config -> !config.at("/afterRestart").isEmpty());
    assertThat(document.at("/afterRestart").toString()).isEqualTo("[\"ebb.server.max-value\"]");
    assertThat(value("ebb.server.max-value")).isEqualTo("512 MiB");
  }

  @Test
  void whatAnOperatorHasChangedStaysUnlessTheFileChangesIt() {
    process.call(
        "PATCH",
        "/api/v1/config",
        "{\"version\": 1, \"changes\": {\"ebb.eviction.ttl\": \"9 m\"}}");
    Configs.file(home, FILE + "ebb.eviction.policy = second");
    await("/api/v1/policy", document -> document.at("/policy").asString().equals("second"));

    assertThat(value("ebb.eviction.ttl")).isEqualTo("9 m");
  }

  private String value(String key) {
    for (JsonNode each : process.get("/api/v1/config").json().at("/values")) {
      if (each.at("/key").asString().equals(key)) {
        return each.at("/value").asString();
      }
    }
    throw new AssertionError(key);
  }

  private JsonNode await(String path, Predicate<JsonNode> condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (true) {
      JsonNode document = process.get(path).json();
      if (condition.test(document)) {
        return document;
      }
      assertThat(System.nanoTime()).as("%s", document).isLessThan(end);
      Awaiting.pause();
    }
  }
}
