package dev.ebb.jlama;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The safetensors files of a model: the size of a header, the header in JSON, then the tensors. */
final class WeightFiles {

  private static final int SIZE_BYTES = Long.BYTES;

  /** A header has about 100 bytes for each tensor. */
  private static final int LARGEST_HEADER = 100 << 20;

  private WeightFiles() {}

  /** Refuses files that end before their last tensor, as after an aborted download. */
  static void requireWhole(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> weights =
          files.filter(file -> file.toString().endsWith(".safetensors")).sorted().toList();
      for (Path file : weights) {
        long size = Files.size(file);
        long needed = neededBytes(file);
        if (size < needed) {
          throw damaged(file, "it has %d bytes of at least %d".formatted(size, needed));
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static long neededBytes(Path file) throws IOException {
    try (FileChannel in = FileChannel.open(file)) {
      ByteBuffer size = ByteBuffer.allocate(SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      in.read(size, 0);
      if (size.hasRemaining()) {
        return SIZE_BYTES;
      }
      long length = size.getLong(0);
      if (length < 0 || length > LARGEST_HEADER) {
        throw damaged(file, "its header cannot have %d bytes".formatted(length));
      }
      byte[] header = new byte[(int) length];
      int read = in.read(ByteBuffer.wrap(header), SIZE_BYTES);
      return SIZE_BYTES + length + (read < length ? 0 : lastByte(file, header));
    }
  }

  private static long lastByte(Path file, byte[] header) {
    try {
      long last = 0;
      for (JsonNode tensor : new JsonMapper().readTree(header)) {
        JsonNode offsets = tensor.get("data_offsets");
        last = offsets == null ? last : Math.max(last, offsets.get(1).asLong());
      }
      return last;
    } catch (JacksonException notJson) {
      throw damaged(file, "its header is not JSON");
    }
  }

  private static UserError damaged(Path file, String reason) {
    return new UserError("'%s' is damaged: %s; download it again".formatted(file, reason));
  }
}
