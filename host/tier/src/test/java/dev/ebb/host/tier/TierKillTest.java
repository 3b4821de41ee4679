package dev.ebb.host.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Histories;
import dev.ebb.host.testing.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed again and again, and a client that knows every value. */
class TierKillTest {

  /** For a long run: {@code -Debb.test.kills=500 -Debb.test.timeout="3 h"}. */
  private static final int ROUNDS = Integer.getInteger("ebb.test.kills", Histories.times(3));

  private static final int KEYS = 500;

  @TempDir private Path folder;

  private final Random random = new Random(5);
  private final int[] versions = new int[KEYS];

  /** Removed, and confirmed. */
  private final boolean[] removed = new boolean[KEYS];

  private int lastKey;

  /** A server in a process of its own. */
  static final class Served {

    private Served() {}

    public static void main(String[] arguments) throws Exception {
      TieredServer server = TieredServer.of(Path.of(arguments[0]));
      System.out.println(server.server().address().getPort());
      Thread.currentThread().join();
    }
  }

  private Process start() throws IOException {
    return JavaProcess.of(Served.class, folder.resolve("tier").toString())
        .redirectError(folder.resolve("errors").toFile())
        .start();
  }

  private static int port(Process server) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
    return Integer.parseInt(out.readLine());
  }

  @Test
  void nothingOldOrWrongIsServedAfterAKill() throws Exception {
    int served = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Process server = start();
      try (TestClient client = new TestClient(port(server))) {
        served += check(client);
        for (int steps = 200 + random.nextInt(800); steps > 0; steps--) {
          step(client);
        }
        server.destroyForcibly();
        stepsUntilTheEnd(client);
      } finally {
        server.destroyForcibly().waitFor();
      }
    }
    assertThat(served).isPositive();
  }

  /** The last commands may or may not have been executed. */
  private void stepsUntilTheEnd(TestClient client) {
    try {
      while (true) {
        step(client);
      }
    } catch (UncheckedIOException ended) {
      // As intended.
    }
  }

  /** Replaces, removes or reads a value. */
  private void step(TestClient client) {
    int i = random.nextInt(KEYS);
    lastKey = i;
    String key = "key-" + i;
    int kind = random.nextInt(10);
    if (kind < 5) {
      removed[i] = false;
      versions[i]++;
      assertThat(client.call("SET", key, KnownValues.of(key, versions[i]))).isEqualTo("OK");
    } else if (kind < 6) {
      client.call("DEL", key);
      removed[i] = true;
    } else {
      assertThat(KnownValues.version(key, client.get(key))).isIn(expected(i));
    }
  }

  private Object[] expected(int i) {
    return removed[i] ? new Object[] {-1} : new Object[] {-1, versions[i]};
  }

  /** Returns how many values have survived. */
  private int check(TestClient client) {
    int found = 0;
    for (int i = 0; i < KEYS; i++) {
      String key = "key-" + i;
      int version = KnownValues.version(key, client.get(key));
      // The last command before the kill may not have been executed.
      boolean last = i == lastKey;
      found += version < 0 ? 0 : 1;
      if (last && version >= 0) {
        assertThat(version).isBetween(versions[i] - 1, versions[i]);
        versions[i] = version;
      } else {
        assertThat(version).as(key).isIn(expected(i));
      }
    }
    return found;
  }
}
