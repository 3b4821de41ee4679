package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** {@code ebb rollout} without a cluster: only a shadow of the policy before can be compared. */
@Timeout(120)
class RolloutAloneTest {

  private static final int REQUESTS_PER_SECOND = 500;

  /** Sent at once: they fill the pool, because shadows count from then on. */
  private static final int FIRST_REQUESTS = 3_000;

  @TempDir private Path home;

  /** Sends enough requests to compare, not as many as a processor can. */
  private static void traffic(int port, AtomicBoolean stopping) {
    Random random = new Random(1);
    try (Jedis client = new Jedis("127.0.0.1", port, 60_000)) {
      long start = System.nanoTime();
      for (long sent = 0; !stopping.get(); sent++) {
        String key = "k" + Math.abs((int) (500 * random.nextGaussian()));
        if (client.get(key) == null) {
          client.set(key, "x".repeat(4_000));
        }
        if (sent > FIRST_REQUESTS + (System.nanoTime() - start) / 1e9 * REQUESTS_PER_SECOND) {
          Awaiting.pause();
        }
      }
    }
  }

  private static String shadows(RunningEbb ebb) {
    return ebb.run("policy", "compare", "--json").out();
  }

  @Test
  void theShadowDecides() throws InterruptedException {
    AtomicBoolean stopping = new AtomicBoolean();
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.shadow.rate = 1\n")) {
      Thread client = Thread.ofPlatform().start(() -> traffic(ebb.port(), stopping));
      // Both policies do the same.
      Run kept =
          ebb.run("rollout", "policy", "second", "--for", "8s", "--keep-if", "hitRatio >= -3pt");
      assertThat(kept.err()).isEmpty();
      assertThat(kept.out())
          .contains("policy 'second' is kept on this node", "its shadow of 'first'")
          .doesNotContain("not known");
      assertThat(shadows(ebb)).contains("\"policy\":\"second\"").doesNotContain("first");

      assertThat(ebb.run("policy", "set", "second(size=4)").exitCode()).isZero();
      Run back =
          ebb.run(
              "rollout", "policy", "second(size=7)", "--for", "8s", "--keep-if", "hitRatio > 20pt");
      assertThat(back.exitCode()).isEqualTo(1);
      assertThat(back.err())
          .contains("this node is back on policy 'second'", "'hitRatio > 20pt' is not met");
      assertThat(ebb.run("policy", "show").out()).containsPattern("size +4");
      stopping.set(true);
      client.join();
    }
  }

  @Test
  void tooFewRequestsAreNoReasonToKeepAPolicy() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      Run run = ebb.run("rollout", "policy", "second", "--for", "1s");
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err()).contains("too few requests", "--for");
      Awaiting.until(() -> ebb.run("stats").out().contains("first"));
      Run plugins = ebb.run("rollout", "plugins");
      assertThat(plugins.err()).contains("second node");
      Run node = ebb.run("rollout", "policy", "second", "--canary", "b");
      assertThat(node.err()).contains("not a node of a cluster");
    }
  }
}
