package dev.ebb.host.engine;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.segment.SegmentHeader.Shape;
import dev.ebb.host.segment.SegmentReader;
import dev.ebb.host.segment.SegmentWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a sequence on their way to or from a segment: straight between the pool and the
 * file, or through a buffer if the pool is on a GPU.
 */
final class SequenceFile {

  /** How many pieces are moved with one call of the operating system. */
  private static final int BATCH = 256;

  private final KvAccess access;
  private final KvLayout layout;
  private final int tokens;
  private final boolean saving;
  private final MemorySegment buffer;
  private final List<Piece> batch = new ArrayList<>(BATCH);

  /** The rows of a lane in one page. */
  private record Piece(int lane, int page, boolean value, MemorySegment bytes) {}

  /** Moves pieces between the file and their bytes. */
  private interface Mover {
    void move(List<Piece> batch) throws IOException;
  }

  private SequenceFile(KvAccess access, KvLayout layout, int tokens, boolean saving, Arena arena) {
    this.access = access;
    this.layout = layout;
    this.tokens = tokens;
    this.saving = saving;
    buffer = arena.allocate((long) BATCH * layout.blockTokens() * layout.rowBytes(), Long.BYTES);
  }

  static void save(Sequence sequence, KvLayout layout, int tokens, Path file) throws IOException {
    Shape shape = Shape.of(layout, tokens);
    try (KvAccess access = sequence.reading();
        SegmentWriter writer = SegmentWriter.ofSequence(file, shape);
        Arena arena = Arena.ofConfined()) {
      SequenceFile bytes = new SequenceFile(access, layout, tokens, true, arena);
      bytes.moveAll(batch -> bytes.save(batch, writer));
      writer.commit();
    }
  }

  /** Opens a sequence with the K and V of a file; none if anything is wrong. */
  static Sequence load(Engine engine, SequenceRequest request, Path file) throws IOException {
    try (SegmentReader reader = new SegmentReader(file)) {
      check(engine.layout(), request.length(), reader.header().shape(), file);
      Sequence sequence = engine.open(request);
      boolean loaded = false;
      try (KvAccess access = sequence.access();
          Arena arena = Arena.ofConfined()) {
        SequenceFile bytes =
            new SequenceFile(access, engine.layout(), request.length(), false, arena);
        bytes.moveAll(batch -> bytes.load(batch, reader));
        reader.verify(done -> {});
        loaded = true;
      } finally {
        if (!loaded) {
          sequence.close();
        }
      }
      return sequence;
    }
  }

  private void moveAll(Mover mover) throws IOException {
    for (int layer = 0; layer < layout.layers(); layer++) {
      for (boolean value : new boolean[] {false, true}) {
        for (int head = 0; head < layout.kvHeads(); head++) {
          for (int page = 0; page * (long) layout.blockTokens() < tokens; page++) {
            batch.add(piece(layer * layout.kvHeads() + head, page, value));
            if (batch.size() == BATCH) {
              mover.move(batch);
              batch.clear();
            }
          }
        }
      }
    }
    mover.move(batch);
    batch.clear();
  }

  private Piece piece(int lane, int page, boolean value) {
    int blockTokens = layout.blockTokens();
    long bytes =
        Math.min(blockTokens, tokens - page * (long) blockTokens) * (long) layout.rowBytes();
    return new Piece(lane, page, value, place(lane, page, value).asSlice(0, bytes));
  }

  private MemorySegment place(int lane, int page, boolean value) {
    // Shared pages have these bytes already, and must not be written.
    if (access.reachable() && (saving || access.writable(lane, page))) {
      return value ? access.values(lane, page) : access.keys(lane, page);
    }
    long bytes = (long) layout.blockTokens() * layout.rowBytes();
    return buffer.asSlice(batch.size() * bytes, bytes);
  }

  private void save(List<Piece> pieces, SegmentWriter writer) throws IOException {
    if (!access.reachable()) {
      for (Piece piece : pieces) {
        access.read(piece.lane, piece.page, piece.value, piece.bytes);
      }
    }
    writer.write(buffers(pieces));
  }

  private void load(List<Piece> pieces, SegmentReader reader) throws IOException {
    reader.read(buffers(pieces));
    if (!access.reachable()) {
      for (Piece piece : pieces) {
        if (access.writable(piece.lane, piece.page)) {
          access.write(piece.lane, piece.page, piece.value, piece.bytes);
        }
      }
    }
  }

  private static ByteBuffer[] buffers(List<Piece> pieces) {
    return pieces.stream().map(piece -> piece.bytes.asByteBuffer()).toArray(ByteBuffer[]::new);
  }

  private static void check(KvLayout layout, int tokens, @Nullable Shape shape, Path file) {
    if (shape == null) {
      throw new UserError(
          "%s: the segment holds a 'value' of a client, and must hold a sequence".formatted(file));
    }
    List<String> wrong = new ArrayList<>();
    compare("layers", shape.layers(), layout.layers(), wrong);
    compare("KV heads", shape.kvHeads(), layout.kvHeads(), wrong);
    compare("head dimension", shape.headDim(), layout.headDim(), wrong);
    compare("dtype", shape.dtype(), layout.dtype(), wrong);
    if (!wrong.isEmpty()) {
      throw new UserError(wrong).at(file.toString());
    }
    if (shape.tokens() != tokens) {
      throw new UserError(
          "%s: the segment has '%d' tokens, and the request %d; give the tokens that it was saved with"
              .formatted(file, shape.tokens(), tokens));
    }
  }

  private static void compare(String what, Object found, Object wanted, List<String> wrong) {
    if (!found.equals(wanted)) {
      wrong.add(
          "%s '%s' must be %s, as in the layout of this Ebb; the segment is of another model"
              .formatted(what, found, wanted));
    }
  }
}
