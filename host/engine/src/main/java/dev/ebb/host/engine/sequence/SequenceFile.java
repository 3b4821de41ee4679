package dev.ebb.host.engine.sequence;

import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.segment.SegmentHeader.Shape;
import dev.ebb.host.segment.SegmentReader;
import dev.ebb.host.segment.SegmentWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Saves sequences to segments, and loads them. */
public final class SequenceFile {

  private SequenceFile() {}

  static void save(Engine engine, Sequence sequence, Path file) throws IOException {
    engine.requireKvOnly("saved");
    KvLayout layout = engine.layout();
    int tokens =
        engine.locked(() -> {
          if (sequence.stored.pruned()) {
            throw new IllegalStateException(
                "tokens of sequence '%d' have been dropped, and a segment holds all"
                    .formatted(sequence.id));
          }
          return sequence.stored.position();
        });
    Shape shape = Shape.of(layout, tokens);
    try (KvAccess access = sequence.reading();
        SegmentWriter writer = SegmentWriter.ofSequence(file, shape)) {
      SequenceBytes.read(access, layout, tokens, writer::write);
      writer.commit();
    }
  }

  /** Opens a sequence with the K and V of a file; none if anything is wrong. */
  public static Sequence load(Engine engine, SequenceRequest request, Path file)
      throws IOException {
    try (SegmentReader reader = new SegmentReader(file)) {
      check(engine.layout(), request.length(), reader.header().shape(), file);
      Sequence sequence = engine.open(request);
      boolean loaded = false;
      try (KvAccess access = sequence.access()) {
        SequenceBytes.write(access, engine.layout(), request.length(), reader::read);
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
