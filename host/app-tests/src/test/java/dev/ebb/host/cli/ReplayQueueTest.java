package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.PreemptionPolicyProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** {@code ebb replay --scheduler}. */
class ReplayQueueTest {

  @TempDir private Path home;
  private Path config;

  @BeforeEach
  void configure() {
    Path plugins = Configs.plugins(home);
    config = Configs.withPlugins(home);
    PluginJarBuilder.plugin("oldest")
        .source(
            "acme.Oldest",
            """
            package acme;
            import dev.ebb.spi.*;
            import java.util.List;
            public final class Oldest implements PreemptionPolicyProvider {
              public String name() { return "oldest"; }
              public PreemptionPolicy create(PolicyContext context) {
                boolean broken = context.settings().flag("broken", false);
                return new PreemptionPolicy() {
                  public int compare(RunningSequence a, RunningSequence b) {
                    return Long.compare(a.admission(), b.admission());
                  }
                  public int select(List<? extends RunningSequence> all, long needed) {
                    return broken ? all.size() : PreemptionPolicy.super.select(all, needed);
                  }
                };
              }
            }
            """)
        .service(PreemptionPolicyProvider.class, "acme.Oldest")
        .writeTo(plugins, "oldest.jar");
  }

  private Run replay(String... arguments) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      lines.append(
          "{\"timestamp\":%d,\"input_length\":100,\"output_length\":40,\"hash_ids\":[%d]}\n"
              .formatted(i, i));
    }
    Path trace = Files.writeString(home.resolve("trace.jsonl"), lines);
    List<String> all = new ArrayList<>(List.of("replay", "--config", config.toString()));
    all.add(trace.toString());
    all.addAll(List.of(arguments));
    return Run.of(all.toArray(String[]::new));
  }

  @Test
  void comparesThePoliciesOfEbbAndOfPlugins() throws IOException {
    Run run = replay("--scheduler", "640", "--deadline", "1s", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode report = new ObjectMapper().readTree(run.out());
    assertThat(report.get("memoryTokens").asInt()).isEqualTo(640);
    List<String> names = new ArrayList<>();
    for (JsonNode each : report.get("runs")) {
      names.add(each.get("policy").asString());
      assertThat(each.get("answered").asInt()).isEqualTo(20);
      assertThat(each.get("preemptions").asInt()).isPositive();
      assertThat(each.get("computedTokens").asLong())
          .isEqualTo(20 * 139 + each.get("recomputedTokens").asLong());
      assertThat(each.get("missedDeadlines").asInt()).isPositive();
    }
    assertThat(names)
        .containsExactly("lowest-priority", "least-progress", "cheapest-to-recompute", "oldest");
    // The plugin is asked: it preempts others than Ebb's policy does.
    assertThat(report.get("runs").get(3).get("recomputedTokens").asLong())
        .isNotEqualTo(report.get("runs").get(1).get("recomputedTokens").asLong());
  }

  @Test
  void showsATable() throws IOException {
    Run run = replay("--scheduler", "640", "--policies", "oldest,least-progress");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("20 requests, memory for 640 tokens", "preemptions", "oldest", "least-progress")
        .doesNotContain("lowest-priority");
  }

  @Test
  void saysThatAPolicyFailed() throws IOException {
    Run run = replay("--scheduler", "640", "--policies", "oldest(broken=true)");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("oldest(broken=true) failed").contains("select() returned");
  }

  @Test
  void refusesWhatHasNoMeaning() throws IOException {
    assertThat(replay("--scheduler", "640", "--capacity", "10").err()).contains("--capacity");
    assertThat(replay("--scheduler", "3").err()).contains("'3'").contains("16");
    assertThat(replay("--scheduler", "640", "--policies", "nix").err())
        .contains("'nix'", "least-progress", "oldest");
    assertThat(replay("--scheduler", "640", "--step-time", "x").err())
        .contains("--step-time", "'x'");
  }
}
