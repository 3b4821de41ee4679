package dev.ebb.host.trace;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.tukaani.xz.XZInputStream;

/** Unpacks gzip, xz or zstd, detected by the first bytes; a file's name does not matter. */
final class Decompression {

  /** Small, because the progress of a trace is that of its file. */
  private static final int BUFFER = 1 << 14;

  private static final int MAGIC = 6;
  private static final int XZ_MEMORY_KIB = 512 << 10;

  private Decompression() {}

  /**
   * Detects the format and returns the decoded stream.
   *
   * @param raw the bytes as stored
   * @throws IOException if the stream cannot be read, or the packed data are broken at their head
   * @throws TraceException if the format is not supported
   */
  static InputStream of(String name, InputStream raw) throws IOException {
    BufferedInputStream in = new BufferedInputStream(raw, BUFFER);
    in.mark(MAGIC);
    byte[] magic = in.readNBytes(MAGIC);
    in.reset();
    if (startsWith(magic, 0x1F, 0x8B)) {
      return new StrictGzip(in, BUFFER);
    }
    if (startsWith(magic, 0xFD, '7', 'z', 'X', 'Z', 0)) {
      return new XZInputStream(in, XZ_MEMORY_KIB);
    }
    if (startsWith(magic, 0x28, 0xB5, 0x2F, 0xFD) || isSkippableZstdFrame(magic)) {
      return zstd(name, in);
    }
    if (startsWith(magic, 'B', 'Z', 'h')) {
      throw unknown(name, "bzip2");
    }
    if (startsWith(magic, 'P', 'K', 3, 4)) {
      throw unknown(name, "zip");
    }
    if (magic.length >= 2 && magic[0] == (byte) 0x80 && magic[1] >= 2 && magic[1] <= 5) {
      throw new TraceException(
          "%s: a Python pickle, such as a request dump of SGLang, is not supported, because reading it can run code; log requests with --log-requests --log-requests-level 3 --log-requests-format json"
              .formatted(name));
    }
    return in;
  }

  private static InputStream zstd(String name, InputStream in) throws IOException {
    try {
      return new ZstdInputStreamNoFinalizer(in);
    } catch (LinkageError e) {
      throw new TraceException(
          "%s: zstd does not load on this machine (%s); unpack the trace first".formatted(name, e));
    }
  }

  private static TraceException unknown(String name, String packing) {
    return new TraceException(
        "%s: %s is not supported; unpack it, or pack it as gzip, xz or zstd"
            .formatted(name, packing));
  }

  // Parallel packers put such frames in front of the data.
  private static boolean isSkippableZstdFrame(byte[] magic) {
    return magic.length >= 4
        && (magic[0] & 0xF0) == 0x50
        && magic[1] == 0x2A
        && magic[2] == 0x4D
        && magic[3] == 0x18;
  }

  private static boolean startsWith(byte[] bytes, int... expected) {
    if (bytes.length < expected.length) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if (bytes[i] != (byte) expected[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Gzip of one or more members. Unlike the JDK's stream, it does not take a broken member for the
   * end of the data. Zeros behind the last member are padding.
   */
  private static final class StrictGzip extends GZIPInputStream {

    private static final int TRAILER = 8;

    StrictGzip(InputStream in, int size) throws IOException {
      super(in, size);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int read = super.read(target, offset, length);
      if (read < 0) {
        checkNothingFollows();
      }
      return read;
    }

    private void checkNothingFollows() throws IOException {
      for (int i = len - inf.getRemaining() + TRAILER; i < len; i++) {
        if (buf[i] != 0) {
          throw new ZipException("the data after a gzip member are not gzip");
        }
      }
    }
  }
}
