package dev.ebb.server.model;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.Sha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Identifies the weights of a model. */
public final class ModelDigest {

  private static final int SAMPLES = 256;
  private static final int SAMPLE_BYTES = 64 << 10;

  private ModelDigest() {}

  /**
   * Returns a digest of the sizes of a model's files and of samples of them, because a digest of
   * all bytes would take as long as loading.
   *
   * @param model a file, or a folder with files
   * @throws UserError if it cannot be read
   */
  public static String of(Path model) {
    MessageDigest sha = Sha256.digest();
    try (Stream<Path> files = Files.isDirectory(model) ? Files.list(model) : Stream.of(model)) {
      List<Path> all = files.filter(Files::isRegularFile).sorted().toList();
      for (Path file : all) {
        add(file, sha);
      }
      return HexFormat.of().formatHex(sha.digest());
    } catch (IOException failed) {
      throw new UserError("the model '%s' cannot be read: %s".formatted(model, Reasons.of(failed)));
    }
  }

  private static void add(Path file, MessageDigest sha) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      long size = channel.size();
      sha.update(String.valueOf(size).getBytes(StandardCharsets.US_ASCII));
      // So few samples cover the whole of a small file.
      int samples = Math.clamp(Math.ceilDiv(size, SAMPLE_BYTES), 1, SAMPLES);
      ByteBuffer sample = ByteBuffer.allocate(SAMPLE_BYTES);
      for (int i = 0; i < samples; i++) {
        channel.read(
            sample.clear(), Math.max(0, size - SAMPLE_BYTES) * i / Math.max(1, samples - 1));
        sha.update(sample.flip());
      }
    }
  }
}
