package dev.ebb.host.transfer;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A sink of direct memory, filled in buffers of odd sizes. */
class ReceivedValue implements TransferSink {

  private static final int BLOCK = 131_071;

  volatile ByteBuffer bytes = ByteBuffer.allocateDirect(0);
  volatile @Nullable ValueHeader header;
  final AtomicInteger begins = new AtomicInteger();

  @Override
  public boolean begin(ValueHeader started) {
    header = started;
    begins.incrementAndGet();
    bytes = ByteBuffer.allocateDirect((int) started.length());
    return true;
  }

  @Override
  public ByteBuffer place(long offset, int most) {
    int block = BLOCK - (int) (offset % BLOCK);
    return bytes.slice((int) offset, Math.min(most, block));
  }
}
