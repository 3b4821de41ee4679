package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.pool.DType;
import dev.ebb.host.segment.SegmentHeader;
import dev.ebb.host.segment.SegmentWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ebb segment}. */
class SegmentCommandTest {

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
  void filesThatCannotBeReadAreNamed() {
    Run run = Run.of("segment", "show", folder.resolve("none.seg").toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("none.seg' does not exist").doesNotContain("\tat ");
    run = Run.of("segment", "show", folder.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains(folder.toString(), "folder").doesNotContain("\tat ");
  }
}
