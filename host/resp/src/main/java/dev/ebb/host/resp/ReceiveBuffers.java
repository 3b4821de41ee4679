package dev.ebb.host.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Provides the buffers of one connection: the pool memory of the current value, otherwise a small
 * buffer.
 */
final class ReceiveBuffers implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {

  private static final int USUAL = 16 << 10;
  private static final int MANY_COMMANDS = 64 << 10;

  /** Room for a command up to its value: further bytes have to be copied. */
  private static final int BEFORE_A_VALUE = 1 << 10;

  private static final int LEAST_IN_PLACE = 4 << 10;

  private static final int MOST_READS = 16;

  private final Connection connection;
  private final ChannelConfig config;
  private @Nullable ByteBuf inPlace;
  private int attempted;
  private int last;
  private int reads;
  private int guess = USUAL;

  ReceiveBuffers(Connection connection, ChannelConfig config) {
    this.connection = connection;
    this.config = config;
  }

  boolean inPlace(ByteBuf bytes) {
    return bytes == inPlace;
  }

  @Override
  public ExtendedHandle newHandle() {
    return this;
  }

  @Override
  public ByteBuf allocate(ByteBufAllocator allocator) {
    ByteBuffer place = connection.place(LEAST_IN_PLACE);
    if (place == null) {
      inPlace = null;
      return allocator.directBuffer(guess, guess);
    }
    // The next command on this connection is probably similar.
    guess = BEFORE_A_VALUE;
    inPlace = Unpooled.wrappedBuffer(place).clear();
    return inPlace;
  }

  @Override
  public int guess() {
    return guess;
  }

  @Override
  public void reset(ChannelConfig ignored) {
    reads = 0;
  }

  @Override
  public void incMessagesRead(int count) {
    reads += count;
  }

  @Override
  public void attemptedBytesRead(int bytes) {
    attempted = bytes;
  }

  @Override
  public int attemptedBytesRead() {
    return attempted;
  }

  @Override
  public void lastBytesRead(int bytes) {
    last = bytes;
    if (inPlace == null && bytes > 0) {
      guess = bytes < attempted ? Math.min(guess, USUAL) : MANY_COMMANDS;
    }
  }

  @Override
  public int lastBytesRead() {
    return last;
  }

  @Override
  public boolean continueReading() {
    return last > 0
        && last == attempted
        && reads < MOST_READS
        && config.isAutoRead()
        && (inPlace == null || connection.expectsMore());
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
    return continueReading();
  }

  @Override
  public void readComplete() {
    inPlace = null;
  }
}
