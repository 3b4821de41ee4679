package dev.ebb.llama.binding;

import dev.ebb.host.errors.UserError;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Checks the header of a GGUF file before llama.cpp does, which reports a broken one on standard
 * error and not to the caller. llama.cpp interprets the values.
 */
final class GgufHeader {

  private static final byte[] MAGIC = "GGUF".getBytes(StandardCharsets.US_ASCII);
  private static final int OLDEST_VERSION = 2;
  private static final int NEWEST_VERSION = 3;
  private static final int STRING = 8;
  private static final int ARRAY = 9;

  /** Sizes of the types of values: integers, float, flag, string, array, long integers, double. */
  private static final int[] SIZES = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

  private static final int MOST_DIMENSIONS = 4;
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;

  private GgufHeader(InputStream in) {
    this.in = in;
  }

  /** Refuses a file that is unreadable, no GGUF file, or has a broken header. */
  static void check(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new UserError(
          "the model '%s' cannot be read: %s"
              .formatted(file, Files.exists(file) ? "it is not a file" : "there is no such file"));
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
      String wrong = new GgufHeader(in).walk();
      if (!wrong.isEmpty()) {
        throw new UserError("the model '%s' %s".formatted(file, wrong));
      }
    } catch (EOFException truncated) {
      throw new UserError(
          "the model '%s' ends in the middle of its header; is the download complete?"
              .formatted(file));
    } catch (IOException failed) {
      throw new UserError("the model '%s' cannot be read: %s".formatted(file, failed.getMessage()));
    }
  }

  private String walk() throws IOException {
    if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
      return "is not a GGUF file";
    }
    int version = number(Integer.BYTES).getInt();
    if (version < OLDEST_VERSION || version > NEWEST_VERSION) {
      return "is of GGUF version '%d'; this llama.cpp reads %d and %d, little-endian"
          .formatted(Integer.toUnsignedLong(version), OLDEST_VERSION, NEWEST_VERSION);
    }
    long tensors = number(Long.BYTES).getLong();
    long values = number(Long.BYTES).getLong();
    if (tensors < 0 || values < 0) {
      return "has a broken header";
    }
    for (long i = 0; i < values; i++) {
      skipText();
      if (!skipValue()) {
        return "has a broken header";
      }
    }
    for (long i = 0; i < tensors; i++) {
      skipText();
      int dimensions = number(Integer.BYTES).getInt();
      if (dimensions < 0 || dimensions > MOST_DIMENSIONS) {
        return "has a broken header";
      }
      // The dimensions, the type and the offset.
      in.skipNBytes((long) dimensions * Long.BYTES + Integer.BYTES + Long.BYTES);
    }
    return "";
  }

  private boolean skipValue() throws IOException {
    int type = number(Integer.BYTES).getInt();
    if (type != ARRAY) {
      return skip(type, 1);
    }
    int each = number(Integer.BYTES).getInt();
    return skip(each, number(Long.BYTES).getLong());
  }

  private boolean skip(int type, long count) throws IOException {
    if (type == STRING) {
      for (long i = 0; i < count; i++) {
        skipText();
      }
      return count >= 0;
    }
    if (type < 0 || type >= SIZES.length || SIZES[type] == 0 || count < 0) {
      return false;
    }
    in.skipNBytes(count > Long.MAX_VALUE / Long.BYTES ? Long.MAX_VALUE : count * SIZES[type]);
    return true;
  }

  /** Skips a text; a length beyond the file ends it like any that is too long. */
  private void skipText() throws IOException {
    long length = number(Long.BYTES).getLong();
    in.skipNBytes(length < 0 ? Long.MAX_VALUE : length);
  }

  private ByteBuffer number(int bytes) throws IOException {
    byte[] read = in.readNBytes(bytes);
    if (read.length < bytes) {
      throw new EOFException();
    }
    return ByteBuffer.wrap(read).order(ByteOrder.LITTLE_ENDIAN);
  }
}
