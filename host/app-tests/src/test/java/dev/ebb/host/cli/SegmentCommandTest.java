package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.pool.DType;
import dev.ebb.host.resp.RunningServer;
import dev.ebb.host.segment.SegmentHeader;
import dev.ebb.host.segment.SegmentWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** {@code ebb segment}. */
class SegmentCommandTest {

  /** For a machine with much else to do. */
  private static final int PATIENCE_MILLIS = 60_000;

  @TempDir private Path folder;

  private Path sequence() throws IOException {
    Path file = folder.resolve("s.seg");
    SegmentHeader.Shape shape = new SegmentHeader.Shape(32, 8, 128, DType.BF16, 16, 10);
    try (SegmentWriter writer = SegmentWriter.ofSequence(file, shape)) {
      writer.write(ByteBuffer.allocate((int) shape.bytes()));
      writer.commit();
    }
    return file;
  }

  @Test
  void theHeaderOfASequenceIsShownAsATable() throws IOException {
    Run run = Run.of("segment", "show", sequence().toString());
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .contains("KV heads         8", "dtype            bf16", "sequence length  10")
        .contains("payload bytes    1,310,720", "payload          intact");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void theHeaderOfAValueHasNoShape() throws IOException {
    Path file = folder.resolve("v.seg");
    try (SegmentWriter writer = SegmentWriter.ofValue(file, 0)) {
      writer.commit();
    }
    Run run = Run.of("segment", "show", "--json", file.toString());
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .isEqualToIgnoringNewLines(
            "{\"content\":\"value\",\"version\":1,\"payloadBytes\":0,\"payloadCrc32c\":\"00000000\",\"intact\":true}");
  }

  @Test
  void aDamagedFileIsShownAsFarAsItCanBe() throws IOException {
    Path file = sequence();
    byte[] bytes = Files.readAllBytes(file);
    bytes[1000] = 1;
    Files.write(file, bytes);
    Run run = Run.of("segment", "show", file.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("payload          damaged");
    assertThat(run.err()).contains(file.toString(), "payload CRC32C").doesNotContain("\tat ");

    bytes[20] = 0;
    Files.write(file, bytes);
    run = Run.of("segment", "show", file.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("bytes 20-23: KV heads '0' must be 1 to 1048576", "bytes 60-63")
        .doesNotContain("\tat ");
  }

  @Test
  void aValueIsSavedAndStoredAgain() {
    byte[] value = new byte[1_500_000];
    new Random(1).nextBytes(value);
    Path file = folder.resolve("v.seg");
    try (RunningServer server = RunningServer.of(16 << 20, "secret", true);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      jedis.auth("secret");
      for (byte[] each : new byte[][] {value, {}}) {
        jedis.set(new byte[] {0, 1}, each);
        assertThat(run(server, "save", "hex:0001", file.toString()).out()).contains("hex:0001");
        assertThat(run(server, "load", file.toString(), "copy").exitCode()).isZero();
        assertThat(jedis.get(new byte[] {'c', 'o', 'p', 'y'})).isEqualTo(each);
        Run again = run(server, "save", "hex:0001", file.toString());
        assertThat(again.exitCode()).isEqualTo(2);
        assertThat(again.err()).contains(file.toString(), "exists");
        assertThat(file.toFile().delete()).isTrue();
      }
      Run missing = run(server, "save", "none", file.toString());
      assertThat(missing.exitCode()).isEqualTo(1);
      assertThat(missing.err()).contains("no key 'none'").doesNotContain("\tat ");
      assertThat(folder).isEmptyDirectory();
      Run refused = Run.of("segment", "save", "k", file.toString(), "--port", "" + server.port());
      assertThat(refused.err()).contains("--password");
    }
  }

  @Test
  void theObjectsOfAChunkAreSavedAndStoredAgain() {
    Path file = folder.resolve("c.seg");
    String any = "qwen@02010201@1@00ff";
    try (RunningServer server = RunningServer.of(16 << 20, "secret", true);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      jedis.auth("secret");
      String none = run(server, "save", any, file.toString(), "--groups", "state,full").err();
      assertThat(none).contains("no object").doesNotContain("\tat ");
      jedis.set("qwen@02000200@0@00ff", "state of rank 0");
      jedis.set("qwen@02010201@0@00ff", "");
      jedis.set("qwen@02010201@1@00ff", "attention of rank 1");
      assertThat(run(server, "save", any, file.toString(), "--groups", "state,full").out())
          .contains("saved 3 objects", any, "34 B");

      Run show = Run.of("segment", "show", file.toString());
      assertThat(show.out().lines().map(line -> line.strip().replaceAll(" +", " ")))
          .contains("content chunk", "version 2", "payload intact")
          .contains("0 state 0 2 15", "0 state 1 2 0", "1 full 1 2 19");
      assertThat(Run.of("segment", "show", "--json", file.toString()).out())
          .contains("{\"group\":1,\"kind\":\"full\",\"rank\":1,\"ranks\":2,\"bytes\":19}");

      assertThat(run(server, "load", file.toString(), "other@02000200@0@1e").out())
          .contains("stored 3 objects");
      assertThat(jedis.get("other@02000200@0@1e")).isEqualTo("state of rank 0");
      assertThat(jedis.get("other@02010201@0@1e")).isEmpty();
      assertThat(jedis.get("other@02010201@1@1e")).isEqualTo("attention of rank 1");
      assertThat(run(server, "load", file.toString(), "plain").err())
          .contains("'plain' names no object group");
      assertThat(run(server, "save", any, "x.seg", "--groups", "state").err())
          .contains("--groups: 'state' has no group 'full'");
    }
  }

  @Test
  void whatCannotBeStoredLeavesThePreviousValue() throws IOException {
    Path file = folder.resolve("v.seg");
    try (RunningServer server = RunningServer.of(2 << 20, "secret", false);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      jedis.auth("secret");
      jedis.set("k", "before");
      try (SegmentWriter writer = SegmentWriter.ofValue(file, 300_000)) {
        writer.write(ByteBuffer.allocate(300_000));
        writer.commit();
      }
      byte[] bytes = Files.readAllBytes(file);
      bytes[200_000] = 1;
      Files.write(file, bytes);
      Run damaged = run(server, "load", file.toString(), "k");
      assertThat(damaged.exitCode()).isEqualTo(1);
      assertThat(damaged.err()).contains(file.toString(), "CRC32C").doesNotContain("\tat ");
      assertThat(jedis.get("k")).isEqualTo("before");

      try (SegmentWriter writer = SegmentWriter.ofValue(file, 3_000_000)) {
        writer.write(ByteBuffer.allocate(3_000_000));
        writer.commit();
      }
      Run large = run(server, "load", file.toString(), "l");
      assertThat(large.exitCode()).isEqualTo(1);
      assertThat(large.err()).contains("no room", "2.9 MiB");
      assertThat(run(server, "load", sequence().toString(), "l").err()).contains("'sequence'");
    }
    Run gone = Run.of("segment", "load", file.toString(), "l", "--port", "1");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.err()).contains("cannot connect").doesNotContain("\tat ");
  }

  private Path configuration(RunningServer server) throws IOException {
    return Files.writeString(
        folder.resolve("ebb.conf"),
        "ebb.server { port = %d, password = secret }\n".formatted(server.port()));
  }

  @Test
  void theConfiguredServerIsTheDefault() throws Exception {
    try (RunningServer server = RunningServer.of(16 << 20, "secret", true);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), PATIENCE_MILLIS)) {
      jedis.auth("secret");
      jedis.set("k", "value");
      String config = configuration(server).toString();
      String file = folder.resolve("v.seg").toString();
      assertThat(Run.of("segment", "save", "k", file, "--config", config).err()).isEmpty();
      assertThat(Run.of("segment", "load", file, "copy", "--config", config).err()).isEmpty();
      assertThat(jedis.get("copy")).isEqualTo("value");

      Run named = Run.of("segment", "load", file, "k", "--config", config, "--host", "127.0.0.1");
      assertThat(named.err())
          .as("its password is for it only")
          .contains("NOAUTH", "--password-file");
      Files.writeString(Path.of(config), "ebb.server.port = 0\n");
      assertThat(Run.of("segment", "load", file, "k", "--config", config).err())
          .contains("ebb.server.port = '0'", "--port");
    }
  }

  @Test
  void thePasswordIsReadFromAFileOrTheEnvironment() throws Exception {
    Path password = Files.writeString(folder.resolve("password"), "secret\nnot this\n");
    try (RunningServer server = RunningServer.of(16 << 20, "secret", true);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), PATIENCE_MILLIS)) {
      jedis.auth("secret");
      jedis.set("k", "value");
      String[] save = {"segment", "save", "k", "", "--port", "" + server.port()};
      save[3] = folder.resolve("1.seg").toString();
      assertThat(more(save, "--password-file", password.toString()).err()).isEmpty();
      save[3] = folder.resolve("2.seg").toString();
      try (EbbProcess ebb = EbbProcess.start(folder, Map.of("EBB_PASSWORD", "secret"), save)) {
        assertThat(ebb.exitCode()).as(ebb.output()).isZero();
      }
      save[3] = folder.resolve("3.seg").toString();
      assertThat(more(save, "--password-file", "none").err()).contains("'none'", "first line");
      assertThat(more(save, "--password", "a", "--password-file", "b").err())
          .contains("exclude each other");
      assertThat(
              more(save, "--password-file", Files.createFile(folder.resolve("empty")).toString())
                  .err())
          .contains("empty", "write the password");
    }
  }

  private static Run more(String[] command, String... options) {
    return Run.of(Stream.of(command, options).flatMap(Stream::of).toArray(String[]::new));
  }

  @Test
  void aUserNeedsAPassword() {
    Run run = Run.of("segment", "save", "k", folder.resolve("v.seg").toString(), "--user", "ann");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("'ann'", "--password");
  }

  private static Run run(RunningServer server, String... arguments) {
    List<String> words = new ArrayList<>(List.of("segment"));
    words.addAll(List.of(arguments));
    words.addAll(List.of("--port", "" + server.port(), "--password", "secret"));
    return Run.of(words.toArray(String[]::new));
  }

  @Test
  void filesThatCannotBeReadAreNamed() {
    Run run = Run.of("segment", "show", folder.resolve("none.seg").toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("none.seg' does not exist").doesNotContain("\tat ");
    run = Run.of("segment", "show", folder.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains(folder.toString(), "folder").doesNotContain("\tat ");
  }
}
