package dev.ebb.host.resp.session;

import dev.ebb.host.store.ValueReader;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/** The last piece of a value, in pool memory: the reader is closed once it is sent or dropped. */
final class ValuePiece extends UnpooledDirectByteBuf {

  private final ValueReader reader;

  ValuePiece(ByteBufAllocator allocator, ByteBuffer piece, ValueReader reader) {
    super(allocator, piece, piece.remaining());
    this.reader = reader;
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    reader.close();
  }
}
