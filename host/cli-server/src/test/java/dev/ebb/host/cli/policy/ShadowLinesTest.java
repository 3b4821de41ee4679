package dev.ebb.host.cli.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.policy.ShadowDocument;
import dev.ebb.host.admin.policy.ShadowDocument.Candidate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShadowLinesTest {

  private static String line(long sampled, boolean enough) {
    Candidate candidate =
        new Candidate(
            "sieve", "sieve", 1, 1_000, false, "running", null, 0.5, 0.4, 0.6, 0.1, null, 1.0,
            enough, sampled, 4_000, 4_000, 100.0, 0);
    String since = Instant.now().minus(Duration.ofHours(1)).toString();
    return ShadowLines.comparison(
            new ShadowDocument("lru", 0.1, since, 0.4, null, List.of(candidate)))
        .get(1);
  }

  @Test
  void aSmallSampleSaysHowLongItTakesAsFastAsItHasGrown() {
    // A quarter of the accesses took an hour.
    assertThat(line(1_000, false)).contains("too few accesses yet; enough in about 3 h");
    assertThat(line(0, false)).endsWith("too few accesses yet");
    assertThat(line(5_000, true)).doesNotContain("enough");
  }
}
