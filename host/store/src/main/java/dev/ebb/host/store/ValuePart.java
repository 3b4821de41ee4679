package dev.ebb.host.store;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a value that a client receives, or the first of them. To be closed by its user.
 *
 * @param reader that of the value, or of some of its bytes
 * @param range these bytes, counted from the start of the reader's
 * @param following how many bytes follow
 * @param next opens the part that follows, and fails if no node has it any more; null if none
 *     follows
 */
public record ValuePart(
    ValueReader reader,
    ByteRange range,
    long following,
    @Nullable Supplier<CompletionStage<ValuePart>> next)
    implements AutoCloseable {

  public ValuePart {
    if ((following == 0) != (next == null)) {
      throw new IllegalArgumentException("'%d' bytes follow".formatted(following));
    }
  }

  public ValuePart(ValueReader reader, ByteRange range) {
    this(reader, range, 0, null);
  }

  /** Returns all bytes of a reader; null without one. */
  public static @Nullable ValuePart whole(@Nullable ValueReader reader) {
    return reader == null ? null : new ValuePart(reader, ByteRange.whole(reader.length()));
  }

  public long length() {
    return range.length() + following;
  }

  @Override
  public void close() {
    reader.close();
  }
}
