package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FailsWhenActive;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command line says of a policy that has failed while active. */
class QuarantineCommandsTest {

  @TempDir private Path home;

  @Test
  void aFailedPolicyIsMarkedAndWhatServesInItsPlaceIsNamed() {
    PluginJarBuilder.plugin("bad")
        .provider("bad.Bad", FailsWhenActive.SOURCE)
        .writeTo(Configs.plugins(home), "bad.jar");
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.eviction.policy = bad\n")) {
      ebb.put("key", 1_000);
      ebb.jedis().get("key");
      String inPlace =
          "builtin-lru, the host's own order, is active in place of bad; 'ebb policy show bad' says why";
      Awaiting.until(() -> ebb.run("policy", "list").out().contains(inPlace));

      assertThat(ebb.run("policy", "list").out())
          .containsPattern("(?m)^! +bad +bad +1.0.0")
          .doesNotContainPattern("(?m)^\\*");
      assertThat(ebb.run("policy", "show").out())
          .startsWith("bad, of bad 1.0.0\nin quarantine since ")
          .contains("IllegalStateException: not here\n  at bad.Bad$1.rank(Bad.java:13)\n")
          .endsWith(inPlace + "\n");
      assertThat(ebb.run("stats").out()).contains("builtin-lru, in place of bad");
    }
  }
}
