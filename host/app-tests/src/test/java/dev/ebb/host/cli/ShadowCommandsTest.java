package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ebb policy shadow} and {@code ebb policy compare}. */
class ShadowCommandsTest {

  private static final String NONE =
      "no policy runs beside the active one; start some with 'ebb policy shadow add'";

  @TempDir private Path home;

  @Test
  void candidatesAreAddedListedComparedAndRemoved() {
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.shadow.rate = 1\n")) {
      assertThat(ebb.run("policy", "shadow", "list").out()).isEqualToIgnoringNewLines(NONE);
      assertThat(ebb.run("policy", "compare").out()).isEqualToIgnoringNewLines(NONE);

      Run added = ebb.run("policy", "shadow", "add", "second(size=5),none");
      assertThat(added.err()).isEmpty();
      assertThat(added.out().lines())
          .hasSize(5)
          .anyMatch(line -> line.matches("\\*  first +warming-up +0 +0 +- +0"))
          .anyMatch(line -> line.matches("   second\\(size=5\\) +warming-up +0 +0 +- +0"))
          .contains("a sample of 100.0 % of the keys; * is active");
      assertThat(ebb.run("policy", "compare").out().lines())
          .anyMatch(line -> line.matches("\\*  first +- +- +- +warming up"))
          .contains(
              "* first is active; counting starts when the traffic of clients has filled all"
                  + " simulated caches");

      String compared = traffic(ebb);
      assertThat(compared)
          .startsWith("   POLICY          HIT RATIO  BAND ")
          .containsPattern("(?m)^\\*  first +[\\d.]+ %  none: all keys +[+-][\\d.]+ points *$")
          .containsPattern("(?m)^   second\\(size=5\\) +[\\d.]+ % ")
          .containsPattern("\\* first is active; its counted hit ratio since 20.* is [\\d.]+ %");
      assertThat(ebb.run("policy", "shadow", "list").out())
          .containsPattern("(?m)^   second\\(size=5\\) +running +[\\d,]+ +[\\d,]+ +[\\d,]+ +0$");

      assertThat(ebb.run("policy", "shadow", "remove", "none").out()).doesNotContain("none");
      assertThat(ebb.run("policy", "shadow", "remove", "second(size=5)").out())
          .isEqualToIgnoringNewLines(NONE);
    }
  }

  @Test
  void whatIsWrongIsReported() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      Run unknown = ebb.run("policy", "shadow", "add", "secnd");
      assertThat(unknown.err()).contains("no policy named 'secnd'", "'second'?");
      assertThat(unknown.exitCode()).isEqualTo(1);
      Run removed = ebb.run("policy", "shadow", "remove", "second");
      assertThat(removed.err()).isEqualToIgnoringNewLines("ebb: no shadow 'second'; there are []");
      assertThat(removed.exitCode()).isEqualTo(1);
      Run unreadable = ebb.run("policy", "shadow", "add", "lfu(");
      assertThat(unreadable.err()).contains("'lfu('").doesNotContain("\tat ");
      assertThat(unreadable.exitCode()).isEqualTo(2);
    }
  }

  @Test
  void otherAmountsOfMemoryAreEstimated() throws Exception {
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.shadow.rate = 1\n")) {
      AtomicBoolean over = new AtomicBoolean();
      Thread client =
          Thread.ofPlatform()
              .start(() -> {
                while (!over.get()) {
                  use(ebb);
                }
              });
      Run advice = ebb.run("pool", "advise", "--memory", "0.5, 2", "--wait", "120", "--keep");
      over.set(true);
      client.join();

      assertThat(advice.out().lines())
          .anyMatch(
              line -> line.matches("    [\\d.]+ [KM]iB  0\\.5x +[\\d.]+ %  none: all keys .*"))
          .anyMatch(line -> line.matches("\\*   [\\d.]+ [KM]iB  1x +[\\d.]+ %  none: all keys .*"))
          .anyMatch(line -> line.matches("    [\\d.]+ [KM]iB  2x +[\\d.]+ %  none: all keys .*"))
          .anyMatch(line -> line.matches("[\\d.]+ [KM]iB would cost -?[\\d.]+ points of hits"))
          .anyMatch(line -> line.matches("[\\d.]+ [KM]iB would bring -?[\\d.]+ points of hits"));
      assertThat(ebb.run("policy", "shadow", "list").out()).contains("first@0.5x", "first@2x");
      ebb.run("policy", "shadow", "remove", "first@0.5x");
      ebb.run("policy", "shadow", "remove", "active@2x");

      Run none = ebb.run("pool", "advise", "--wait", "1");
      assertThat(none.out()).contains("warming up");
      assertThat(ebb.run("policy", "shadow", "list").out()).isEqualToIgnoringNewLines(NONE);
      Run wrong = ebb.run("pool", "advise", "--memory", "0.5,two");
      assertThat(wrong.err()).startsWith("ebb pool advise: --memory: 'two' must be a number");
      assertThat(wrong.exitCode()).isEqualTo(2);
    }
  }

  private static void use(RunningEbb ebb) {
    for (int i = 0; i < 500; i++) {
      String key = "key-" + i % 300;
      if (ebb.jedis().get(key) == null) {
        ebb.put(key, 1_000);
      }
    }
  }

  /** Until all are counted. Returns the comparison. */
  private static String traffic(RunningEbb ebb) {
    Instant end = Instant.now().plus(Duration.ofMinutes(2));
    String out = "";
    while (!out.contains("counted hit ratio")
        || out.contains("too few")
        || out.contains("warming")) {
      assertThat(Instant.now()).as(out).isBefore(end);
      use(ebb);
      out = ebb.run("policy", "compare").out();
    }
    return out;
  }
}
