package acme;

import dev.ebb.spi.Entry;
import java.util.Arrays;

/**
 * The history of one entry, and what the model sees of it (section 4.2 of the paper): the distances
 * between its last uses, exponentially decayed counts of them, and what Ebb knows of the block.
 */
final class Features {

  static final int COUNT = 11;

  private static final int DELTAS = 4;
  private static final int DECAYED = 2;
  private static final float UNKNOWN = 32;

  /** Uses count half after 2^10 and 2^14 ticks. */
  private static final double[] HALF_LIVES = {1 << 10, 1 << 14};

  private final float[] deltas = new float[DELTAS];
  private final float[] counts = new float[DECAYED];
  private long lastUse = -1;

  Features() {
    Arrays.fill(deltas, UNKNOWN);
  }

  static float log(long distance) {
    return (float) (Math.log1p(distance) / Math.log(2));
  }

  boolean isNew() {
    return lastUse < 0;
  }

  void use(long tick) {
    if (!isNew()) {
      System.arraycopy(deltas, 0, deltas, 1, DELTAS - 1);
      deltas[0] = log(tick - lastUse);
    }
    for (int i = 0; i < DECAYED; i++) {
      counts[i] = 1 + decayed(i, tick);
    }
    lastUse = tick;
  }

  private float decayed(int i, long tick) {
    return isNew() ? 0 : (float) (counts[i] * Math.pow(2, (lastUse - tick) / HALF_LIVES[i]));
  }

  void read(Entry entry, long now, float[] out) {
    out[0] = log(now - lastUse);
    System.arraycopy(deltas, 0, out, 1, DELTAS);
    for (int i = 0; i < DECAYED; i++) {
      out[1 + DELTAS + i] = decayed(i, now);
    }
    out[7] = log(entry.accesses());
    out[8] = log(Math.max(0, entry.depth()));
    out[9] = entry.turn();
    out[10] = entry.lastOfRequest() ? 1 : 0;
  }
}
