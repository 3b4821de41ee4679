package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.segment.SegmentWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sequences that are saved to segments and loaded from them. */
class SequenceFileTest {

  private static final String SALT = "s";
  private static final Namespace MODEL = Namespace.of("tiny");
  private static final KvLayout LAYOUT = new KvLayout(2, 2, 3, 4, DType.FP32);

  @TempDir private Path folder;

  private static List<Integer> tokens(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  private static SequenceRequest request(List<Integer> tokens) {
    return SequenceRequest.of(MODEL, tokens.stream().mapToInt(Integer::intValue).toArray());
  }

  private static Ebb ebb(KvLayout layout) {
    return Ebb.bare(layout, 200L * layout.blockBytes());
  }

  private Path saved(KvLayout layout, int count) throws IOException {
    Path file = folder.resolve("saved.seg");
    try (Ebb ebb = ebb(layout);
        Sequence sequence = ebb.open(request(tokens(count)))) {
      KvBytes.write(layout, sequence, SALT, tokens(count), 0);
      sequence.save(file);
    }
    return file;
  }

  @Test
  void aSequenceIsLoadedIntoBlocksOfAnySize() throws IOException {
    Random random = new Random(5);
    for (int i = 0; i < 60; i++) {
      int layers = 1 + random.nextInt(4);
      int heads = 1 + random.nextInt(3);
      int dim = 1 + random.nextInt(9);
      int count = random.nextInt(70);
      KvLayout from = layout(random, layers, heads, dim);
      KvLayout to = layout(random, layers, heads, dim);
      Path file = saved(from, count);
      try (Ebb ebb = ebb(to)) {
        Sequence loaded = ebb.load(request(tokens(count)), file);
        assertThat(loaded.position()).isEqualTo(count);
        KvBytes.check(to, loaded, SALT, tokens(count));
        loaded.append(count);
        loaded.finish(count);
      }
    }
  }

  /** Returns a layout with random blocks and lane groups. */
  private static KvLayout layout(Random random, int layers, int heads, int dim) {
    int groups = random.nextBoolean() ? 1 : random.nextBoolean() ? layers : layers * heads;
    return new KvLayout(layers, heads, dim, 1 + random.nextInt(20), DType.FP32, groups);
  }

  @Test
  void theFileHoldsTheRowsOfEachLaneInOrder() throws IOException {
    KvLayout wide = new KvLayout(2, 2, 3, 4, DType.FP32, 4);
    byte[] payload = Files.readAllBytes(saved(LAYOUT, 10));
    assertThat(Files.readAllBytes(saved(wide, 10))).isEqualTo(payload);
    assertThat(payload).hasSize(64 + LAYOUT.tokenBytes() * 10);
    try (Ebb ebb = ebb(LAYOUT);
        Sequence sequence = ebb.open(request(tokens(10)))) {
      KvBytes.write(LAYOUT, sequence, SALT, tokens(10), 0);
      try (KvAccess access = sequence.reading()) {
        int layer = 1;
        int head = 1;
        int token = 9;
        int row = ((layer * 2 + 1) * 2 + head) * 10 + token;
        ByteBuffer rows = access.values(layer * 2 + head, 2).asByteBuffer();
        assertThat(ByteBuffer.wrap(payload, 64 + row * 12, 12)).isEqualTo(rows.slice(12, 12));
      }
    }
  }

  @Test
  void sharedPagesAreKeptAndTheSequenceIsPublished() throws IOException {
    Path file = saved(LAYOUT, 18);
    try (Ebb ebb = ebb(LAYOUT)) {
      Sequence first = ebb.load(request(tokens(18)), file);
      first.finish();
      Sequence second = ebb.load(request(tokens(18)), file);
      assertThat(second.matchedTokens()).isEqualTo(16);
      KvBytes.check(LAYOUT, second, SALT, tokens(18));
      second.finish();
    }
  }

  @Test
  void aDamagedFileOpensNoSequence() throws IOException {
    Path file = saved(LAYOUT, 18);
    byte[] bytes = Files.readAllBytes(file);
    for (int at : new int[] {16, 64, bytes.length - 1}) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 64;
      Files.write(file, damaged);
      try (Ebb ebb = ebb(LAYOUT)) {
        assertThatExceptionOfType(UserError.class)
            .isThrownBy(() -> ebb.load(request(tokens(18)), file))
            .withMessageContainingAll(file.toString(), "byte", "must be");
        assertThat(ebb.pool().report().sequences()).isEmpty();
        assertThat(ebb.open(request(tokens(18))).matchedTokens()).isZero();
      }
    }
  }

  @Test
  void aFileOfAnotherModelIsRefused() throws IOException {
    Path file = saved(LAYOUT, 18);
    KvLayout other = new KvLayout(3, 1, 4, 4, DType.FP16);
    try (Ebb ebb = ebb(other)) {
      assertThatExceptionOfType(UserError.class)
          .isThrownBy(() -> ebb.load(request(tokens(18)), file))
          .withMessageContainingAll(
              "layers '2'", "be 3", "KV heads '2'", "dimension '3'", "'fp32'");
    }
    try (Ebb ebb = ebb(LAYOUT)) {
      assertThatExceptionOfType(UserError.class)
          .isThrownBy(() -> ebb.load(request(tokens(17)), file))
          .withMessageContainingAll("'18' tokens", "17");
      try (SegmentWriter writer = SegmentWriter.ofValue(file, 0)) {
        writer.commit();
      }
      assertThatExceptionOfType(UserError.class)
          .isThrownBy(() -> ebb.load(request(tokens(0)), file))
          .withMessageContaining("'value'");
      assertThatIOException()
          .isThrownBy(() -> ebb.load(request(tokens(1)), folder.resolve("none")));
      assertThat(ebb.pool().report().sequences()).isEmpty();
    }
  }

  @Test
  void aFullDiskKeepsTheSequenceAndTheOldFile() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "no /dev/full");
    Path file = saved(LAYOUT, 18);
    byte[] before = Files.readAllBytes(file);
    try (Ebb ebb = ebb(LAYOUT);
        Sequence sequence = ebb.open(request(tokens(30)))) {
      KvBytes.write(LAYOUT, sequence, SALT, tokens(30), 0);
      Files.createSymbolicLink(folder.resolve("saved.seg.part"), full);
      assertThatIOException().isThrownBy(() -> sequence.save(file));
      assertThat(Files.readAllBytes(file)).isEqualTo(before);
      KvBytes.check(LAYOUT, sequence, SALT, tokens(30));
      sequence.save(file);
    }
    assertThat(ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN).getLong(32))
        .isEqualTo(30);
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void aPrunedSequenceIsNotSaved() {
    try (Ebb ebb = ebb(LAYOUT);
        Sequence sequence = ebb.open(request(tokens(18)))) {
      sequence.prunePrefix(2);
      assertThatIllegalStateException()
          .isThrownBy(() -> sequence.save(folder.resolve("s.seg")))
          .withMessageContaining("dropped");
      assertThat(folder).isEmptyDirectory();
    }
  }
}
