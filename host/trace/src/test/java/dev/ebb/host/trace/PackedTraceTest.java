package dev.ebb.host.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class PackedTraceTest {

  private static final int REQUESTS = 5000;

  @TempDir Path folder;

  /** The ways to pack. */
  enum Packing {
    PLAIN {
      @Override
      byte[] pack(byte[] text) {
        return text;
      }
    },
    GZIP {
      @Override
      byte[] pack(byte[] text) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
          out.write(text);
        }
        return packed.toByteArray();
      }
    },
    XZ {
      @Override
      byte[] pack(byte[] text) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new XZOutputStream(packed, new LZMA2Options(0))) {
          out.write(text);
        }
        return packed.toByteArray();
      }
    },
    ZSTD {
      @Override
      byte[] pack(byte[] text) {
        return Zstd.compress(text);
      }
    };

    abstract byte[] pack(byte[] text) throws IOException;
  }

  @ParameterizedTest
  @EnumSource
  void readsWhatIsPackedWhateverItsName(Packing packing) throws IOException {
    Path file = folder.resolve("trace.jsonl");
    Files.write(file, packing.pack(text(0, REQUESTS)));

    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      assertThat(countInOrder(reader)).isEqualTo(REQUESTS);
      assertThat(reader.bytesRead()).isEqualTo(text(0, REQUESTS).length);
    }
  }

  @ParameterizedTest
  @EnumSource
  void readsPackedPartsOneAfterTheOther(Packing packing) throws IOException {
    byte[] packed =
        join(
            packing.pack(text(0, 700)),
            packing.pack(new byte[0]),
            packing.pack(text(700, 701)),
            packing.pack(text(701, REQUESTS)));

    assertThat(countInOrder(reader(packed))).isEqualTo(REQUESTS);
  }

  @ParameterizedTest
  @EnumSource
  void readsFromAStreamThatComesInDrips(Packing packing) throws IOException {
    InputStream drips =
        new FilterInputStream(new ByteArrayInputStream(packing.pack(text(0, REQUESTS)))) {
          @Override
          public int read(byte[] target, int offset, int length) throws IOException {
            return super.read(target, offset, Math.min(length, 7));
          }

          @Override
          public int available() {
            return 0;
          }
        };

    assertThat(countInOrder(TraceReader.of("trace", drips, OnError.STOP))).isEqualTo(REQUESTS);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PLAIN")
  void reportsTruncationBehindTheRequestsThatCanBeRead(Packing packing) throws IOException {
    byte[] packed = packing.pack(text(0, REQUESTS));

    for (int length : new int[] {7, packed.length / 2, packed.length - 1}) {
      byte[] truncated = Arrays.copyOf(packed, length);
      for (OnError onError : OnError.values()) {
        assertThatThrownBy(() -> countInOrder(truncated, onError))
            .as("%s cut to %d of %d", packing, length, packed.length)
            .isInstanceOf(TraceException.class)
            .hasMessageMatching(
                "trace: cannot be read behind line \\d+, near byte "
                    + length
                    + " of the file: .+; is it complete\\?");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PLAIN")
  void neverTakesDamagedDataForAnotherTrace(Packing packing) throws IOException {
    byte[] text = text(0, REQUESTS);
    List<Requests.Copy> whole = Requests.of(reader(text));
    byte[] packed = packing == Packing.ZSTD ? zstdWithChecksum(text) : packing.pack(text);
    for (int seed = 0; seed < 15; seed++) {
      Random random = new Random(seed);
      byte[] damaged = packed.clone();
      int at = 12 + random.nextInt(packed.length - 12);
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      try (TraceReader reader = reader(damaged)) {
        assertThat(Requests.of(reader))
            .as("%s, seed %d, byte %d", packing, seed, at)
            .isEqualTo(whole);
      } catch (TraceException e) {
        assertThat(e).hasMessageStartingWith("trace:");
      }
    }
  }

  @Test
  void reportsATruncatedPlainTraceByItsLastLine() {
    byte[] text = text(0, 10);

    assertThatThrownBy(() -> countInOrder(Arrays.copyOf(text, text.length - 5), OnError.STOP))
        .hasMessage(
            "trace:10: ends in the middle of a request; the trace may be cut off; fix the line, or"
                + " leave such lines out with --on-error skip");
  }

  @Test
  void refusesAGzipMemberThatIsNone() throws IOException {
    byte[] member = Packing.GZIP.pack(text(0, 10));
    byte[] broken = join(member, member);
    broken[member.length + 1] = 0;

    assertThatThrownBy(() -> countInOrder(broken, OnError.STOP))
        .hasMessage(
            "trace: cannot be read behind line 10, near byte %d of the file: the data after a gzip member are not gzip; is it complete?",
            broken.length);
    assertThat(countInOrder(join(member, new byte[512]), OnError.STOP)).isEqualTo(10);
  }

  @Test
  void readsZstdBehindASkippableFrame() throws IOException {
    byte[] skippable = {0x51, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};

    assertThat(countInOrder(join(skippable, Packing.ZSTD.pack(text(0, 10))), OnError.STOP))
        .isEqualTo(10);
  }

  @Test
  void saysWhatToDoAboutPackingsItDoesNotKnow() {
    assertThatThrownBy(() -> reader("BZh91AY".getBytes(UTF_8)))
        .isInstanceOf(TraceException.class)
        .hasMessage("trace: bzip2 is not supported; unpack it, or pack it as gzip, xz or zstd");
    assertThatThrownBy(() -> reader("PK\3\4....".getBytes(UTF_8)))
        .hasMessage("trace: zip is not supported; unpack it, or pack it as gzip, xz or zstd");
  }

  private static byte[] zstdWithChecksum(byte[] text) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (ZstdOutputStreamNoFinalizer out = new ZstdOutputStreamNoFinalizer(packed)) {
      out.setChecksum(true);
      out.write(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  private static byte[] text(int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append(
          "{\"timestamp\": %d, \"input_length\": %d, \"hash_ids\": [%d]}\n"
              .formatted(i, i, i * 2654435761L));
    }
    return text.toString().getBytes(UTF_8);
  }

  private static TraceReader reader(byte[] stored) {
    return TraceReader.of("trace", new ByteArrayInputStream(stored), OnError.STOP);
  }

  private static int countInOrder(byte[] stored, OnError onError) {
    try (TraceReader reader = TraceReader.of("trace", new ByteArrayInputStream(stored), onError)) {
      return countInOrder(reader);
    }
  }

  private static int countInOrder(TraceReader reader) {
    int count = 0;
    while (reader.next()) {
      assertThat(reader.request().inputTokens()).isEqualTo(count);
      assertThat(reader.request().id(0)).isEqualTo(count * 2654435761L);
      count++;
    }
    return count;
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    return joined.toByteArray();
  }
}
