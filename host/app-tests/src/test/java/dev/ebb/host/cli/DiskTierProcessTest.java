package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.testing.SmallFileSystem;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
  private static final byte[][] VALUES = values();
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Pattern PORT = Pattern.compile("RESP on [^:]+:(\\d+)");
  private static final Pattern ADMIN = Pattern.compile("http://[\\d.]+:\\d+/");

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
    return VALUES[i];
  }

  private static byte[][] values() {
    byte[][] values = new byte[KEYS][60_000];
    for (int i = 0; i < KEYS; i++) {
      new Random(i).nextBytes(values[i]);
    }
    return values;
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
      assertThat(metrics(ebb))
          .contains("\nebb_disk_in_use 1.0\n", "\nebb_disk_hits_total " + kept + ".0\n");
      Run inUse = Run.of("tiers", "check", home.resolve("values").toString());
      assertThat(inUse.exitCode()).isEqualTo(1);
      assertThat(inUse.err()).contains("is in use by a server").doesNotContain("\tat ");
    }
    // It was killed.
    try (EbbProcess ebb = serve("");
        Jedis client = client(ebb)) {
      assertThat(found(client)).isEqualTo(kept);
    }
    Path file = home.resolve("values");
    // A process that was killed may take a moment to end.
    Awaiting.until(() -> !Run.of("tiers", "check", file.toString()).err().contains("in use"));
    assertThat(Run.of("tiers", "check", file.toString()).out())
        .contains("regions   ", " of 64 in use, 1 MiB each", "damaged   0 values, 0 regions");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      // In the middle of the values.
      channel.write(ByteBuffer.wrap(new byte[500]), file.toFile().length() / 8);
    }
    Run damaged = Run.of("tiers", "check", file.toString());
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.out()).contains("damaged   1 value, 0 regions");
    assertThat(damaged.err()).contains("'" + file + "' is damaged");
  }

  @Test
  void aFullDiskIsOneLineInTheLogAndComesBack() throws Exception {
    try (SmallFileSystem small =
        SmallFileSystem.mount(Files.createDirectory(home.resolve("small")), 32)) {
      Path file = small.folder().resolve("values");
      try (EbbProcess ebb =
              serve("ebb.tiers.disk { path = \"%s\", size = 17 MiB }".formatted(file));
          Jedis client = client(ebb)) {
        small.fill();
        String outOfUse = "disk tier out of use file=\"?" + file;
        Awaiting.until(() -> {
          assertThat(found(client) + fill(client)).isPositive();
          // The server needs the processor to write, and to try again.
          Awaiting.pause(300);
          return times(ebb, outOfUse) > 0 && metric(ebb, "ebb_disk_errors_total") > 2;
        });
        assertThat(times(ebb, outOfUse)).isEqualTo(1);
        assertThat(ebb.output())
            .contains("reason=\"No space left on device\"")
            .doesNotContain("\tat ");
        small.empty();
        Awaiting.until(() -> metric(ebb, "ebb_disk_files_in_use") == 1);
        Awaiting.until(() -> times(ebb, "disk tier back in use file=\"?" + file) == 1);
        assertThat(found(client)).isPositive();
      }
    }
  }

  private static int fill(Jedis client) {
    for (int i = 0; i < KEYS; i++) {
      client.set(key(i), value(i));
    }
    return KEYS;
  }

  private static long times(EbbProcess ebb, String line) {
    return Pattern.compile(line).matcher(ebb.output()).results().count();
  }

  private static double metric(EbbProcess ebb, String name) {
    try {
      Matcher value = Pattern.compile("\n" + name + " ([\\d.]+)").matcher(metrics(ebb));
      return value.find() ? Double.parseDouble(value.group(1)) : 0;
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  private static String metrics(EbbProcess ebb) throws Exception {
    Matcher address = ADMIN.matcher(ebb.output());
    assertThat(address.find()).isTrue();
    URI metrics = URI.create(address.group() + "metrics");
    return HTTP.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString()).body();
  }

  @Test
  void aFileThatIsNotOfADiskTierIsNotChecked() throws Exception {
    Path other = Files.writeString(home.resolve("other"), "something else");
    assertThat(Run.of("tiers", "check", other.toString()).err())
        .contains("'" + other + "'")
        .doesNotContain("\tat ");
    assertThat(other).hasContent("something else");
    Path gone = home.resolve("gone");
    assertThat(Run.of("tiers", "check", gone.toString()).err())
        .isEqualToIgnoringNewLines(
            "ebb: '%s' does not exist; name the file of a disk tier".formatted(gone));
    assertThat(gone).doesNotExist();
    Run regroup = Run.of("tiers", "regroup", gone.toString());
    assertThat(regroup.exitCode()).isEqualTo(1);
    assertThat(regroup.err()).contains("'" + gone + "' does not exist").doesNotContain("\tat ");
    assertThat(gone).doesNotExist();
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
