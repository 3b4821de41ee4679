package dev.ebb.host.engine.sequence;

import dev.ebb.host.pool.KvLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The K and V of a sequence in the order of a segment's payload: straight from and to the pool, or
 * through a buffer if the pool is on a GPU.
 */
final class SequenceBytes {

  /** How many pieces are moved with one call of the operating system. */
  private static final int BATCH = 256;

  private final KvAccess access;
  private final KvLayout layout;
  private final int tokens;
  private final boolean reading;
  private final MemorySegment buffer;
  private final List<Piece> batch = new ArrayList<>(BATCH);

  /** The rows of a lane in one page. */
  private record Piece(int lane, int page, boolean value, MemorySegment bytes) {}

  /** Takes the next bytes, or fills them. */
  interface Mover {
    void move(ByteBuffer... pieces) throws IOException;
  }

  private SequenceBytes(
      KvAccess access, KvLayout layout, int tokens, boolean reading, Arena arena) {
    this.access = access;
    this.layout = layout;
    this.tokens = tokens;
    this.reading = reading;
    buffer = arena.allocate((long) BATCH * layout.blockTokens() * layout.rowBytes(), Long.BYTES);
  }

  /** Passes the bytes of the first tokens on. */
  static void read(KvAccess access, KvLayout layout, int tokens, Mover target) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      new SequenceBytes(access, layout, tokens, true, arena).moveAll(target);
    }
  }

  /** Fills the writable bytes of the first tokens. Shared pages have theirs already. */
  static void write(KvAccess access, KvLayout layout, int tokens, Mover source) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      new SequenceBytes(access, layout, tokens, false, arena).moveAll(source);
    }
  }

  private void moveAll(Mover mover) throws IOException {
    for (int layer = 0; layer < layout.layers(); layer++) {
      for (boolean value : new boolean[] {false, true}) {
        for (int head = 0; head < layout.kvHeads(); head++) {
          for (int page = 0; page * (long) layout.blockTokens() < tokens; page++) {
            batch.add(piece(layer * layout.kvHeads() + head, page, value));
            if (batch.size() == BATCH) {
              moveBatch(mover);
            }
          }
        }
      }
    }
    moveBatch(mover);
  }

  private Piece piece(int lane, int page, boolean value) {
    int blockTokens = layout.blockTokens();
    long bytes =
        Math.min(blockTokens, tokens - page * (long) blockTokens) * (long) layout.rowBytes();
    return new Piece(lane, page, value, place(lane, page, value).asSlice(0, bytes));
  }

  private MemorySegment place(int lane, int page, boolean value) {
    if (access.reachable() && (reading || access.writable(lane, page))) {
      return value ? access.values(lane, page) : access.keys(lane, page);
    }
    long bytes = (long) layout.blockTokens() * layout.rowBytes();
    return buffer.asSlice(batch.size() * bytes, bytes);
  }

  private void moveBatch(Mover mover) throws IOException {
    if (reading && !access.reachable()) {
      for (Piece piece : batch) {
        access.read(piece.lane, piece.page, piece.value, piece.bytes);
      }
    }
    mover.move(batch.stream().map(piece -> piece.bytes.asByteBuffer()).toArray(ByteBuffer[]::new));
    if (!reading && !access.reachable()) {
      for (Piece piece : batch) {
        if (access.writable(piece.lane, piece.page)) {
          access.write(piece.lane, piece.page, piece.value, piece.bytes);
        }
      }
    }
    batch.clear();
  }
}
