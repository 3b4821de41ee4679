package dev.ebb.host.switching;

import dev.ebb.host.cache.policy.PolicyState;
import dev.ebb.host.units.Percent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * A file with the state of a policy in one partition. It is replaced as a whole, so that a process
 * that dies while it writes leaves the earlier one.
 */
@SuppressWarnings("ArrayRecordComponent")
record StateFile(String plugin, int format, byte[] bytes) {

  /** "EbbState" in ASCII. */
  private static final long MAGIC = 0x4562_6253_7461_7465L;

  private static final int VERSION = 1;
  private static final int MOST_HEADER_BYTES = 1 << 12;

  static Path path(Path folder, String policy, String partition) {
    return folder.resolve(encoded(policy) + "@" + encoded(partition) + ".state");
  }

  private static String encoded(String name) {
    return Percent.encode(name.getBytes(StandardCharsets.UTF_8)).replace("/", "%2F");
  }

  void write(Path file, String policy, String partition) throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(content)) {
      out.writeLong(MAGIC);
      out.writeInt(VERSION);
      out.writeUTF(policy);
      out.writeUTF(partition);
      out.writeUTF(plugin);
      out.writeInt(format);
      out.writeInt(bytes.length);
      out.write(bytes);
      out.writeInt(checksum(content.toByteArray(), content.size()));
    }
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      try (FileChannel channel =
          FileChannel.open(
              part,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer left = ByteBuffer.wrap(content.toByteArray());
        while (left.hasRemaining()) {
          channel.write(left);
        }
        channel.force(true);
      }
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /**
   * Reads a file.
   *
   * @throws IOException if it is damaged, too large, or of another policy or partition
   */
  static StateFile read(Path file, String policy, String partition) throws IOException {
    byte[] content;
    try (InputStream in = Files.newInputStream(file)) {
      content = in.readNBytes(PolicyState.MOST_BYTES + MOST_HEADER_BYTES + 1);
    }
    int end = content.length - Integer.BYTES;
    if (end < 0 || content.length > PolicyState.MOST_BYTES + MOST_HEADER_BYTES) {
      throw new IOException("it has '%d' bytes".formatted(content.length));
    }
    if (ByteBuffer.wrap(content, end, Integer.BYTES).getInt() != checksum(content, end)) {
      throw new IOException("its checksum is wrong");
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content, 0, end))) {
      if (in.readLong() != MAGIC || in.readInt() != VERSION) {
        throw new IOException("it is not a state of this version of Ebb");
      }
      String owner = in.readUTF() + "@" + in.readUTF();
      if (!owner.equals(policy + "@" + partition)) {
        throw new IOException("it is the state of '%s'".formatted(owner));
      }
      String plugin = in.readUTF();
      int format = in.readInt();
      int length = in.readInt();
      byte[] bytes = in.readAllBytes();
      if (length != bytes.length) {
        throw new IOException("it has '%d' bytes, not '%d'".formatted(bytes.length, length));
      }
      return new StateFile(plugin, format, bytes);
    }
  }

  private static int checksum(byte[] content, int length) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, length);
    return (int) crc.getValue();
  }
}
