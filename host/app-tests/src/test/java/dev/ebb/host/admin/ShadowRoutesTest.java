package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.ShadowDocument;
import dev.ebb.host.admin.policy.ShadowDocument.Candidate;
import dev.ebb.host.admin.policy.SwapDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies beside the active one, on a real server with traffic. */
class ShadowRoutesTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private Path home;

  private final Random random = new Random(1);

  @Test
  void eachCandidateIsEstimatedWithTheActivePolicy() {
    try (AdminProcess process = AdminProcess.start(home, "ebb.shadow.rate = 1")) {
      Answer added =
          process.call(
              "POST", "/api/v1/shadows", "{\"policies\": [\"third\", \"second(size=5)\"]}");
      assertThat(added.status()).as(added.body()).isEqualTo(201);

      ShadowDocument shadows = until(process, each -> enough(each, 3));

      assertThat(names(shadows)).containsExactlyInAnyOrder("first", "second(size=5)", "third");
      Candidate first = shadows.candidates().getFirst();
      Candidate third = find(shadows, "third");
      assertThat(first.policy()).isEqualTo("first");
      assertThat(first.active()).isTrue();
      double counted = requireNonNull(shadows.hitRatio());
      // The active one, and another one that is the same by another name.
      assertThat(first.hitRatio()).isCloseTo(counted, within(0.03));
      assertThat(find(shadows, "second(size=5)").hitRatio()).isCloseTo(counted, within(0.03));
      // By number of uses, where the active one goes by age alone.
      assertThat(third.low()).isGreaterThan(counted);
      assertThat(third.hitBytes()).isGreaterThan(requireNonNull(first.hitBytes()));
      assertThat(third.nanosPerAccess()).isPositive();
    }
  }

  @Test
  void moreCandidatesThanAllowedAreRefused() {
    String many =
        IntStream.range(0, 1_500)
            .mapToObj(i -> "\"second(size=" + i + ")\"")
            .collect(Collectors.joining(","));
    try (AdminProcess process = AdminProcess.start(home, "")) {
      Answer refused = process.call("POST", "/api/v1/shadows", "{\"policies\": [" + many + "]}");

      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.error()).contains("ebb.shadow.policies", "'1500'", "at most 32");
      assertThat(shadows(process).candidates()).isEmpty();
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
      until(process, each -> byState(each, "failed").size() >= 2);
      // The third is abandoned after 10 s, with or without traffic.
      Awaiting.until(() -> byState(shadows(process), "failed").size() == 3);
      ShadowDocument shadows = until(process, each -> byState(each, "running").size() == 2);

      assertThat(find(shadows, "throwing").reason())
          .isEqualTo("policy 'throwing' failed: java.lang.IllegalStateException: no");
      assertThat(find(shadows, "hanging").reason())
          .isEqualTo("policy 'hanging' did not come back within 10 s");
      assertThat(find(shadows, "silent").reason()).startsWith("policy 'silent' offers nothing");
      assertThat(find(shadows, "throwing").hitRatio()).isNull();
      assertThat(process.get("/api/v1/policy").as(PolicyDocument.class).policy())
          .isEqualTo("first");
      assertThat(process.get("/api/v1/stats").as(StatsDocument.class).policy().faults()).isEmpty();
    }
  }

  @Test
  void aCandidateIsRemovedAndWithTheLastTheSample() {
    try (AdminProcess process =
        AdminProcess.start(home, "ebb.shadow.policies = [third, \"second(size=5)\"]")) {
      assertThat(process.delete("/api/v1/shadows/second%28size%3D5%29").status()).isEqualTo(200);
      assertThat(names(shadows(process))).containsExactlyInAnyOrder("first", "third");
      ShadowDocument last = process.delete("/api/v1/shadows/third").as(ShadowDocument.class);
      assertThat(last.candidates()).isEmpty();
      assertThat(last.rate()).isNull();
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
      ShadowDocument shadows = until(process, each -> enough(each, 2));
      assertThat(names(shadows)).containsExactlyInAnyOrder("second", "third");
      assertThat(shadows.policy()).isEqualTo("second");
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
      assertThat(shadows(process).candidates()).hasSize(2);
      Files.delete(jar);
      process.call("POST", "/api/v1/plugins/reload", "{}");
      assertThat(process.get("/api/v1/plugins").body())
          .contains("its file was removed; the copy serves as long as it is used");

      ShadowDocument shadows = until(process, each -> enough(each, 2));

      assertThat(byState(shadows, "running")).containsExactlyInAnyOrder("first", "lone");
      assertThat(process.get("/api/v1/plugins/history").as(SwapDocument.History.class).loaders())
          .isZero();
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
      ShadowDocument failed = until(process, each -> !byState(each, "failed").isEmpty());
      assertThat(byState(failed, "failed")).containsExactly("lone");

      PluginJarBuilder.plugin("lone")
          .version("1.1.0")
          .provider("bad.Lone", fifo("Lone", "entries.iterator().next()"))
          .writeTo(plugins, "lone.jar");
      process.call("POST", "/api/v1/plugins/reload", "{}");

      ShadowDocument shadows = until(process, each -> enough(each, 2));
      assertThat(byState(shadows, "running")).containsExactlyInAnyOrder("first", "lone");
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
      assertThat(shadows(process).candidates()).isEmpty();
    }
  }

  /** Popular keys and rare ones, put where they are missing, until the document is as wanted. */
  private ShadowDocument until(AdminProcess process, Predicate<ShadowDocument> wanted) {
    Instant end = Instant.now().plus(TIMEOUT);
    while (true) {
      for (int i = 0; i < 200; i++) {
        String key = "key-" + (int) (3_000 * Math.pow(random.nextDouble(), 3));
        if (process.jedis().get(key.getBytes(StandardCharsets.UTF_8)) == null) {
          process.put(key, 3_000);
        }
      }
      ShadowDocument shadows = shadows(process);
      if (wanted.test(shadows)) {
        return shadows;
      }
      assertThat(Instant.now()).as(shadows.toString()).isBefore(end);
      Awaiting.pause();
    }
  }

  private static ShadowDocument shadows(AdminProcess process) {
    return process.get("/api/v1/shadows").as(ShadowDocument.class);
  }

  private static boolean enough(ShadowDocument shadows, int candidates) {
    return shadows.candidates().size() == candidates
        && shadows.candidates().stream()
            .allMatch(each -> each.enough() && each.sampledAccesses() > 3_000);
  }

  private static List<String> byState(ShadowDocument shadows, String state) {
    return shadows.candidates().stream()
        .filter(each -> each.state().equals(state))
        .map(Candidate::policy)
        .toList();
  }

  private static List<String> names(ShadowDocument shadows) {
    return shadows.candidates().stream().map(Candidate::policy).toList();
  }

  private static Candidate find(ShadowDocument shadows, String name) {
    return shadows.candidates().stream()
        .filter(each -> each.policy().equals(name))
        .findFirst()
        .orElseThrow();
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
