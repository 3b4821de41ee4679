package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** {@code ebb serve} with a disk tier, in a process that stops or is killed. */
class DiskTierProcessTest {

  private static final int KEYS = 300;
  private static final Pattern PORT = Pattern.compile("RESP on [^:]+:(\\d+)");

  @TempDir private Path home;

  private EbbProcess serve(String settings) throws Exception {
    PluginJarBuilder.plugin("acme")
        .version("1.0.0")
        .policy("first")
        .writeTo(Configs.plugins(home), "acme.jar");
    Path config =
        Configs.file(
            home,
            """
            ebb.plugins { folder = "%s", run = "%s/run" }
            ebb { pool.size = 8 MiB, server.port = 0, admin.port = 0, eviction.policy = first }
            ebb.tiers.disk { path = "%s", size = 65 MiB, region-size = 1 MiB }
            """
                    .formatted(Configs.plugins(home), home, home.resolve("values"))
                + settings);
    return EbbProcess.start(home, Map.of(), "serve", "--config", config.toString());
  }

  private static Jedis client(EbbProcess ebb) {
    ebb.awaitOutput("ebb: serving RESP");
    Matcher port = PORT.matcher(ebb.output());
    assertThat(port.find()).isTrue();
    return new Jedis("127.0.0.1", Integer.parseInt(port.group(1)), 60_000);
  }

  private static byte[] key(int i) {
    return ("key-" + i).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] value(int i) {
    byte[] bytes = new byte[60_000];
    new Random(i).nextBytes(bytes);
    return bytes;
  }

  private static long found(Jedis client) {
    return IntStream.range(0, KEYS)
        .filter(i -> {
          byte[] found = client.get(key(i));
          assertThat(found == null || Arrays.equals(found, value(i))).isTrue();
          return found != null;
        })
        .count();
  }

  @Test
  void aStopLosesNothingAndAKillOnlyWhatWasNotWritten() throws Exception {
    try (EbbProcess ebb = serve("");
        Jedis client = client(ebb)) {
      for (int i = 0; i < KEYS; i++) {
        client.set(key(i), value(i));
      }
      ebb.terminate();
      assertThat(ebb.exitCode()).isEqualTo(143);
    }
    long kept;
    try (EbbProcess ebb = serve("");
        Jedis client = client(ebb)) {
      kept = found(client);
      // What was evicted faster than it was written is not on the disk.
      assertThat(kept).isGreaterThan(KEYS / 2);
    }
    // It was killed.
    try (EbbProcess ebb = serve("");
        Jedis client = client(ebb)) {
      assertThat(found(client)).isEqualTo(kept);
    }
  }

  @Test
  void aClusterAndADiskTierAreRefusedTogether() throws Exception {
    try (EbbProcess ebb = serve("ebb.cluster.enabled = true")) {
      assertThat(ebb.exitCode()).isEqualTo(1);
      assertThat(ebb.output()).contains("ebb.tiers.disk.path", "ebb.cluster.enabled");
    }
  }

  @Test
  void aFileOfSomethingElseIsRefused() throws Exception {
    Files.writeString(home.resolve("values"), "something else");
    try (EbbProcess ebb = serve("")) {
      assertThat(ebb.exitCode()).isEqualTo(1);
      assertThat(ebb.output()).contains("ebb.tiers.disk.path", home.resolve("values").toString());
    }
    assertThat(home.resolve("values")).hasContent("something else");
  }
}
