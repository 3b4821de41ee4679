package dev.ebb.host.cli.segment;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.loadgen.RespClient;
import dev.ebb.host.segment.SegmentObject;
import dev.ebb.host.segment.SegmentReader;
import dev.ebb.host.segment.SegmentWriter;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.text.KeyText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Copies the objects of a chunk between a server and a segment. */
final class ChunkTransfer {

  private static final int PIECE = 1 << 20;

  private ChunkTransfer() {}

  record Saved(int objects, long bytes) {}

  /** Saves the objects that exist: group by group, and rank by rank. */
  static Saved save(RespClient client, KeyText key, ObjectGroups groups, Path file)
      throws IOException {
    List<SegmentObject> objects = new ArrayList<>();
    int ranks = ChunkKeys.ranks(key.bytes());
    for (int group = 0; group < groups.size(); group++) {
      for (int rank = 0; rank < ranks; rank++) {
        byte[] object = objectKey(key, group, rank);
        if (number(client, "EXISTS", object) > 0) {
          long bytes = number(client, "STRLEN", object);
          objects.add(new SegmentObject(group, groups.get(group), rank, ranks, bytes));
        }
      }
    }
    if (objects.isEmpty()) {
      return new Saved(0, 0);
    }
    try (SegmentWriter writer = SegmentWriter.ofChunk(file, objects)) {
      for (SegmentObject object : objects) {
        save(client, objectKey(key, object.group(), object.rank()), object.bytes(), writer);
      }
      writer.commit();
    }
    long bytes = objects.stream().mapToLong(SegmentObject::bytes).sum();
    return new Saved(objects.size(), bytes);
  }

  private static void save(RespClient client, byte[] key, long bytes, SegmentWriter writer)
      throws IOException {
    if (bytes == 0) {
      return;
    }
    long found = client.get(key);
    if (found != bytes) {
      throw new UserError(
          "'%s' had '%d' bytes and has %d now; save the chunk again"
              .formatted(new String(key, StandardCharsets.UTF_8), bytes, found));
    }
    for (long done = 0; done < bytes; ) {
      ByteBuffer piece = client.next(bytes - done);
      done += piece.remaining();
      writer.write(piece);
    }
    // The end of the line, before the next reply.
    client.next(1);
    client.next(1);
  }

  private static long number(RespClient client, String command, byte[] key) throws IOException {
    byte[] word = command.getBytes(StandardCharsets.US_ASCII);
    return Long.parseLong(client.call(List.of(word, key)).getFirst());
  }

  /**
   * Stores the objects of a segment, which is intact, under the keys of a chunk. Returns how many
   * found room.
   */
  static int load(RespClient client, KeyText key, SegmentReader reader) throws IOException {
    int stored = 0;
    for (SegmentObject object : reader.objects()) {
      byte[] to = objectKey(key, object.group(), object.rank());
      ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE, object.bytes()));
      client.set(to, object.bytes());
      for (long done = 0; done < object.bytes(); done += piece.limit()) {
        piece.clear().limit((int) Math.min(PIECE, object.bytes() - done));
        reader.read(piece);
        client.write(piece.flip());
      }
      stored += client.stored(to, object.bytes()) ? 1 : 0;
    }
    return stored;
  }

  private static byte[] objectKey(KeyText key, int group, int rank) {
    byte[] object = ChunkKeys.objectKey(key.bytes(), group, rank);
    if (object == null) {
      throw new UserError(
          "'%s' names no object group; use a key such as model@02000200@0@1f2e".formatted(key));
    }
    return object;
  }
}
