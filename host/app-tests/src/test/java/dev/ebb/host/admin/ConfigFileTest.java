package dev.ebb.host.admin;

import static java.util.Objects.requireNonNullElse;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.SwapDocument;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    awaitPolicy("second");
    SwapDocument last =
        process.get("/api/v1/plugins/history").as(SwapDocument.History.class).history().get(1);
    assertThat(last.cause()).isEqualTo("config file");
    assertThat(last.detail()).isEqualTo("ebb.conf");
    assertThat(value("ebb.eviction.ttl")).isEqualTo("5 m");
  }

  @Test
  void aBadChangeIsReportedWithFileAndLineAndChangesNothing() {
    Configs.file(home, FILE + "ebb.eviction { ttl = 5 m, policy = secnd }");

    ConfigDocument document = await(config -> !config.fileProblems().isEmpty());
    assertThat(problem(document))
        .startsWith(
            home.resolve("ebb.conf")
                + ":5: ebb.eviction.policy: no policy named 'secnd' (did you mean 'second'?);"
                + " available: [first,");
    assertThat(value("ebb.eviction.ttl")).isEqualTo("1 h");

    Configs.file(home, FILE + "ebb.eviction { policy = first, ttl = soon }");
    document = await(config -> problem(config).contains("'soon'"));
    assertThat(problem(document))
        .startsWith(home.resolve("ebb.conf") + ":5: ebb.eviction.ttl = 'soon' must be");

    Configs.file(home, FILE + "ebb.eviction { policy = first, ttl = 7 m }");
    await(config -> config.fileProblems().isEmpty());
    assertThat(value("ebb.eviction.ttl")).isEqualTo("7 m");
  }

  @Test
  void aFileThatOthersCanWriteIsTakenOverOnceTheyCannot() throws IOException {
    Path file = home.resolve("ebb.conf");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    Configs.file(home, FILE + "ebb.eviction.policy = second");
    await(config -> problem(config).startsWith("cannot trust the configuration file"));

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    awaitPolicy("second");
    await(config -> config.fileProblems().isEmpty());
  }

  @Test
  void aFileThatNamesAMissingPolicyIsTakenOverOnceItsJarIsThere() {
    Configs.file(home, FILE + "ebb.eviction.policy = fourth");
    await(config -> problem(config).contains("no policy named 'fourth'"));

    PluginJarBuilder.plugin("later").policy("fourth").writeTo(Configs.plugins(home), "later.jar");
    awaitPolicy("fourth");
    await(config -> config.fileProblems().isEmpty());
  }

  /** Each try of a policy that hangs takes long, and loses a thread. */
  @Test
  void aFileThatNamesAFailingPolicyIsTriedAgainOnlyOnceAPluginHasChanged() throws IOException {
    Path folder = Configs.plugins(home);
    String fail =
        "System.setProperty(\"acme.tries\", System.getProperty(\"acme.tries\", \"\") + \"+\");"
            + " if (true) throw new IllegalStateException(\"not now\");";
    PluginJarBuilder.plugin("failing").policy("failing", fail).writeTo(folder, "failing.jar");
    awaitPlugin("failing.jar");
    Configs.file(home, FILE + "ebb.eviction.policy = failing");
    await(config -> problem(config).contains("not now"));
    String tries = System.getProperty("acme.tries");

    for (String name : List.of("one.jar", "two.jar")) {
      Files.writeString(folder.resolve(name), "not a JAR");
      awaitPlugin(name);
    }
    assertThat(System.getProperty("acme.tries")).isEqualTo(tries);

    PluginJarBuilder.plugin("later").policy("fourth").writeTo(folder, "later.jar");
    Awaiting.until(() -> !tries.equals(System.getProperty("acme.tries")));
  }

  private void awaitPlugin(String file) {
    Awaiting.until(() -> process.get("/api/v1/plugins").body().contains(file));
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

    ConfigDocument document = await(config -> !config.fileProblems().isEmpty());
    assertThat(document.fileProblems())
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
    document = await(config -> problem(config).contains("rules"));
    assertThat(problem(document))
        .startsWith(place(7) + "ebb.eviction.rules[full].policy: no policy named 'lru'");
  }

  @Test
  void aGoodChangeOfTheFileIsShownWithItsPlace() {
    Configs.file(home, FILE + "ebb.eviction { policy = first, ttl = 5 m }");
    ConfigDocument document = await(config -> origin(config, "ebb.eviction.ttl").endsWith(":5"));
    assertThat(origin(document, "ebb.eviction.ttl") + ": ").isEqualTo(place(5));

    Configs.file(home, FILE + "ebb.eviction.policy = first");
    await(config -> origin(config, "ebb.eviction.ttl").isEmpty());
    assertThat(value("ebb.eviction.ttl")).isEqualTo("1 h");
  }

  private String place(int line) {
    return "%s:%d: ".formatted(home.resolve("ebb.conf"), line);
  }

  /** The first problem of the file, empty if it has none. */
  private static String problem(ConfigDocument config) {
    return config.fileProblems().isEmpty() ? "" : config.fileProblems().getFirst();
  }

  private static String origin(ConfigDocument config, String key) {
    return requireNonNullElse(value(config, key).origin(), "");
  }

  @Test
  void whatNeedsARestartIsNamed() {
    Configs.file(home, FILE + "ebb { eviction.policy = first, server.max-value = 1 MiB }");

    ConfigDocument document = await(config -> !config.afterRestart().isEmpty());
    assertThat(document.afterRestart()).containsExactly("ebb.server.max-value");
    assertThat(value("ebb.server.max-value")).isEqualTo("512 MiB");
  }

  @Test
  void whatAnOperatorHasChangedStaysUnlessTheFileChangesIt() {
    process.call(
        "PATCH",
        "/api/v1/config",
        "{\"version\": 1, \"changes\": {\"ebb.eviction.ttl\": \"9 m\"}}");
    Configs.file(home, FILE + "ebb.eviction.policy = second");
    awaitPolicy("second");

    assertThat(value("ebb.eviction.ttl")).isEqualTo("9 m");
  }

  private static ConfigDocument.Value value(ConfigDocument config, String key) {
    return config.values().stream()
        .filter(each -> each.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new AssertionError(key));
  }

  private Object value(String key) {
    return value(config(), key).value();
  }

  private ConfigDocument config() {
    return process.get("/api/v1/config").as(ConfigDocument.class);
  }

  private void awaitPolicy(String name) {
    Awaiting.until(
        () -> process.get("/api/v1/policy").as(PolicyDocument.class).policy().equals(name));
  }

  private ConfigDocument await(Predicate<ConfigDocument> condition) {
    Awaiting.until(() -> condition.test(config()));
    return config();
  }
}
