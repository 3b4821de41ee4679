package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command line says of a policy that has failed in force. */
class QuarantineCommandsTest {

  private static final String BAD =
      """
      package bad;

      import dev.ebb.spi.*;

      public final class Bad implements BlockPolicyProvider {
        public String name() { return "bad"; }

        public BlockPolicy<?> create(PolicyContext context) {
          boolean tested = context.partition().equals("self-test");
          return new RankedBlockPolicy() {
            protected double rank(Entry entry) {
              if (!tested && entry.accesses() > 1) {
                throw new IllegalStateException("not here");
              }
              return entry.accesses();
            }
          };
        }
      }
      """;

  @TempDir private Path home;

  @Test
  void aFailedPolicyIsMarkedAndWhatServesInItsPlaceIsNamed() {
    PluginJarBuilder.plugin("bad")
        .provider("bad.Bad", BAD)
        .writeTo(Configs.plugins(home), "bad.jar");
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.eviction.policy = bad\n")) {
      ebb.put("key", 1_000);
      ebb.jedis().get("key");
      String inPlace =
          "tick-order, the host's own order, is in force in place of bad; 'ebb policy show bad' says why";
      await(ebb, inPlace);

      assertThat(ebb.run("policy", "list").out())
          .containsPattern("(?m)^! +bad +bad +1.0.0")
          .doesNotContainPattern("(?m)^\\*");
      assertThat(ebb.run("policy", "show").out())
          .startsWith("bad, of bad 1.0.0\nin quarantine since ")
          .contains("IllegalStateException: not here\n  at bad.Bad$1.rank(Bad.java:13)\n")
          .endsWith(inPlace + "\n");
      assertThat(ebb.run("stats").out()).contains("tick-order, in place of bad");
    }
  }

  private static void await(RunningEbb ebb, String text) {
    Instant end = Instant.now().plus(Duration.ofMinutes(2));
    String out = ebb.run("policy", "list").out();
    while (!out.contains(text)) {
      assertThat(Instant.now()).as(out).isBefore(end);
      out = ebb.run("policy", "list").out();
    }
  }
}
