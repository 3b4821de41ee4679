package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Policies beside the active one, on a real server with traffic. */
class ShadowRoutesTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private Path home;

  private final Random random = new Random(1);

  @Test
  void eachCandidateIsEstimatedBesideTheActivePolicy() {
    try (AdminProcess process = AdminProcess.start(home, "ebb.shadow.rate = 1")) {
      Answer added =
          process.call(
              "POST", "/api/v1/shadows", "{\"policies\": [\"third\", \"second(size=5)\"]}");
      assertThat(added.status()).as(added.body()).isEqualTo(201);

      JsonNode shadows = until(process, each -> enough(each, 3));

      Map<String, JsonNode> byName = byName(shadows);
      assertThat(byName).containsOnlyKeys("first", "second(size=5)", "third");
      assertThat(shadows.at("/candidates/0/policy").asString()).isEqualTo("first");
      assertThat(shadows.at("/candidates/0/active").asBoolean()).isTrue();
      double counted = shadows.at("/hitRatio").asDouble();
      // The active one, and another one that is the same by another name.
      assertThat(ratio(requireNonNull(byName.get("first")))).isCloseTo(counted, within(0.03));
      assertThat(ratio(requireNonNull(byName.get("second(size=5)"))))
          .isCloseTo(counted, within(0.03));
      // By number of uses, where the active one goes by age alone.
      assertThat(requireNonNull(byName.get("third")).at("/low").asDouble()).isGreaterThan(counted);
      assertThat(requireNonNull(byName.get("third")).at("/hitBytes").asDouble())
          .isGreaterThan(requireNonNull(byName.get("first")).at("/hitBytes").asDouble());
      assertThat(requireNonNull(byName.get("third")).at("/nanosPerAccess").asDouble()).isPositive();
    }
  }

  @Test
  void oneThatBreaksItsContractEndsAloneAndSaysWhy() {
    PluginJarBuilder.plugin("bad")
        .provider("bad.Throwing", bad("Throwing", "throw new IllegalStateException(\"no\");"))
        .provider(
            "bad.Hanging",
            bad(
                "Hanging",
                """
                while (true) {
                  Thread.interrupted();
                  java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                }
                """))
        .provider("bad.Silent", bad("Silent", "return null;"))
        .writeTo(Configs.plugins(home), "bad.jar");
    try (AdminProcess process =
        AdminProcess.start(
            home, "ebb.shadow { rate = 1, policies = [throwing, hanging, silent, third] }")) {
      JsonNode shadows =
          until(
              process,
              each -> byState(each, "failed").size() == 3 && byState(each, "running").size() == 2);

      Map<String, JsonNode> byName = byName(shadows);
      assertThat(requireNonNull(byName.get("throwing")).at("/reason").asString())
          .isEqualTo("policy 'throwing' failed: java.lang.IllegalStateException: no");
      assertThat(requireNonNull(byName.get("hanging")).at("/reason").asString())
          .isEqualTo("policy 'hanging' did not come back within 10 s");
      assertThat(requireNonNull(byName.get("silent")).at("/reason").asString())
          .startsWith("policy 'silent' offers nothing");
      assertThat(requireNonNull(byName.get("throwing")).at("/hitRatio").isNull()).isTrue();
      assertThat(process.get("/api/v1/policy").json().at("/policy").asString()).isEqualTo("first");
      assertThat(process.get("/api/v1/stats").json().at("/policy/faults").isEmpty()).isTrue();
    }
  }

  @Test
  void aCandidateIsRemovedAndWithTheLastTheSample() {
    try (AdminProcess process =
        AdminProcess.start(home, "ebb.shadow.policies = [third, \"second(size=5)\"]")) {
      assertThat(process.delete("/api/v1/shadows/second%28size%3D5%29").status()).isEqualTo(200);
      assertThat(byName(process.get("/api/v1/shadows").json())).containsOnlyKeys("first", "third");
      Answer last = process.delete("/api/v1/shadows/third");
      assertThat(last.json().at("/candidates").isEmpty()).isTrue();
      assertThat(last.json().at("/rate").isNull()).isTrue();
      Answer removed = process.delete("/api/v1/shadows/third");
      assertThat(removed.status()).isEqualTo(404);
      assertThat(removed.error()).isEqualTo("no shadow 'third'; there are []");
    }
  }

  @Test
  void theActiveOneIsFollowedWhenItChanges() {
    try (AdminProcess process =
        AdminProcess.start(home, "ebb.shadow { rate = 1, policies = [third] }")) {
      process.call("PUT", "/api/v1/policy", "{\"policy\": \"second\"}");
      JsonNode shadows = until(process, each -> enough(each, 2));
      assertThat(byName(shadows)).containsOnlyKeys("second", "third");
      assertThat(shadows.at("/policy").asString()).isEqualTo("second");
    }
  }

  @Test
  void aCandidateWhoseJarIsRemovedGoesOnUntilItEnds() throws IOException {
    // A class of its own that it needs when it first evicts.
    Path jar =
        PluginJarBuilder.plugin("lone")
            .provider("bad.Lone", fifo("Lone", "Late.first(entries)"))
            .source("bad.Late", LATE)
            .writeTo(Configs.plugins(home), "lone.jar");
    try (AdminProcess process =
        AdminProcess.start(home, "ebb.shadow { rate = 1, policies = [lone] }")) {
      assertThat(process.get("/api/v1/shadows").json().at("/candidates").size()).isEqualTo(2);
      Files.delete(jar);
      process.call("POST", "/api/v1/plugins/reload", "{}");
      assertThat(process.get("/api/v1/plugins").body())
          .contains("its file was removed; the copy serves as long as it is used");

      JsonNode shadows = until(process, each -> enough(each, 2));

      assertThat(byState(shadows, "running")).containsOnlyKeys("first", "lone");
      assertThat(process.get("/api/v1/plugins/history").json().at("/loaders").asInt()).isZero();
      process.delete("/api/v1/shadows/lone");
      until(
          process,
          each -> {
            process.call("POST", "/api/v1/plugins/reload", "{}");
            return !process.get("/api/v1/plugins").body().contains("lone");
          });
    }
  }

  @Test
  void aCandidateWhoseJarIsReplacedStartsAgainWithTheNewCode() {
    Path plugins = Configs.plugins(home);
    PluginJarBuilder.plugin("lone")
        .provider("bad.Lone", bad("Lone", "throw new IllegalStateException(\"old\");"))
        .writeTo(plugins, "lone.jar");
    try (AdminProcess process =
        AdminProcess.start(home, "ebb.shadow { rate = 1, policies = [lone] }")) {
      JsonNode failed = until(process, each -> !byState(each, "failed").isEmpty());
      assertThat(byState(failed, "failed")).containsOnlyKeys("lone");

      PluginJarBuilder.plugin("lone")
          .version("1.1.0")
          .provider("bad.Lone", fifo("Lone", "entries.iterator().next()"))
          .writeTo(plugins, "lone.jar");
      process.call("POST", "/api/v1/plugins/reload", "{}");

      JsonNode shadows = until(process, each -> enough(each, 2));
      assertThat(byState(shadows, "running")).containsOnlyKeys("first", "lone");
    }
  }

  @Test
  void whatIsWrongIsRefused() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      Answer unknown = process.call("POST", "/api/v1/shadows", "{\"policies\": [\"thrid\"]}");
      assertThat(unknown.status()).isEqualTo(400);
      assertThat(unknown.error()).contains("'thrid'").contains("third");
      assertThat(process.call("POST", "/api/v1/shadows", "{\"policies\": \"third\"}").error())
          .isEqualTo("'policies' must be a list of policies, such as [\"sieve\", \"arc\"]");
      assertThat(process.get("/api/v1/shadows").json().at("/candidates").isEmpty()).isTrue();
    }
  }

  /** Popular keys and rare ones, put where they are missing, until the document is as wanted. */
  private JsonNode until(AdminProcess process, Predicate<JsonNode> wanted) {
    Instant end = Instant.now().plus(TIMEOUT);
    while (true) {
      for (int i = 0; i < 200; i++) {
        String key = "key-" + (int) (3_000 * Math.pow(random.nextDouble(), 3));
        if (process.jedis().get(key.getBytes(StandardCharsets.UTF_8)) == null) {
          process.put(key, 3_000);
        }
      }
      JsonNode shadows = process.get("/api/v1/shadows").json();
      if (wanted.test(shadows)) {
        return shadows;
      }
      assertThat(Instant.now()).as(shadows.toString()).isBefore(end);
    }
  }

  private static boolean enough(JsonNode shadows, int candidates) {
    return shadows.at("/candidates").size() == candidates
        && shadows
            .at("/candidates")
            .valueStream()
            .allMatch(each ->
                each.at("/enough").asBoolean() && each.at("/sampledAccesses").asLong() > 3_000);
  }

  private static Map<String, JsonNode> byState(JsonNode shadows, String state) {
    return shadows
        .at("/candidates")
        .valueStream()
        .filter(each -> each.at("/state").asString().equals(state))
        .collect(Collectors.toMap(each -> each.at("/policy").asString(), each -> each));
  }

  private static Map<String, JsonNode> byName(JsonNode shadows) {
    return shadows
        .at("/candidates")
        .valueStream()
        .collect(Collectors.toMap(each -> each.at("/policy").asString(), each -> each));
  }

  private static double ratio(JsonNode candidate) {
    return candidate.at("/hitRatio").asDouble();
  }

  private static final String LATE =
      """
      package bad;

      import dev.ebb.spi.*;

      final class Late {
        static Entry first(Iterable<Entry> entries) { return entries.iterator().next(); }
      }
      """;

  /** First in, first out. */
  private static String fifo(String type, String victim) {
    return bad(type, "return " + victim + ";")
        .replace(
            "private long size;",
            "private final java.util.LinkedHashSet<Entry> entries = new java.util.LinkedHashSet<>();\n    private long size;")
        .replace("size++; return entry;", "size++; entries.add(entry); return entry;")
        .replace("{ size--; }", "{ size--; entries.remove(node); }")
        .replace("refused(Entry node) {}", "refused(Entry node) { entries.remove(node); }")
        .replace("released(Entry node) {}", "released(Entry node) { entries.add(node); }");
  }

  private static String bad(String type, String victim) {
    return """
    package bad;

    import dev.ebb.spi.*;

    public final class %s implements BlockPolicyProvider {
      public String name() { return "%s"; }

      public BlockPolicy<?> create(PolicyContext context) { return new Policy(); }

      static final class Policy implements BlockPolicy<Entry> {
        private long size;

        public Entry inserted(Entry entry) { size++; return entry; }
        public void accessed(Entry node) {}
        public Entry victim(Demand demand) { %s }
        public void removed(Entry node, RemovalCause cause) { size--; }
        public void refused(Entry node) {}
        public void released(Entry node) {}
        public long size() { return size; }
      }
    }
    """
        .formatted(type, type.toLowerCase(java.util.Locale.ROOT), victim);
  }
}
