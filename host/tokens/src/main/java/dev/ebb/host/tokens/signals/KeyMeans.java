package dev.ebb.host.tokens.signals;

import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** By lane the mean of the normalised keys that are stored. Not thread-safe. */
final class KeyMeans {

  private final KvLayout layout;
  private final float[][] means;
  private final MemorySegment[] segments;

  /** By lane: over how many tokens. */
  private final int[] known;

  KeyMeans(KvLayout layout) {
    this.layout = layout;
    means = new float[layout.layers() * layout.kvHeads()][0];
    segments = new MemorySegment[means.length];
    Arrays.fill(segments, MemorySegment.NULL);
    known = new int[means.length];
  }

  KeyMeans copy() {
    KeyMeans copy = new KeyMeans(layout);
    for (int lane = 0; lane < means.length; lane++) {
      if (known[lane] > 0) {
        copy.ensureLane(lane);
        System.arraycopy(means[lane], 0, copy.means[lane], 0, layout.headDim());
        copy.known[lane] = known[lane];
      }
    }
    return copy;
  }

  private void ensureLane(int lane) {
    if (means[lane].length == 0) {
      means[lane] = new float[layout.headDim()];
      segments[lane] = MemorySegment.ofArray(means[lane]);
    }
  }

  /** Brings the means of a layer's heads up to date. */
  void update(StoredKeys keys, StoredTokens stored, int layer, int firstHead, int heads) {
    for (int head = firstHead; head < firstHead + heads; head++) {
      int lane = layer * layout.kvHeads() + head;
      int length = stored.length(stored.setOf(lane));
      int seen = known[lane];
      ensureLane(lane);
      if (seen < length) {
        keys.kernels()
            .addToKeyMean(
                keys.part(layer, head, 1, length), seen, length - seen, seen, segments[lane]);
        known[lane] = length;
      }
    }
  }

  float[] of(int lane) {
    return means[lane];
  }

  /** A key cannot be subtracted again, so a lane that has lost tokens starts again. */
  void keep(Packing plan, StoredTokens before) {
    for (int lane = 0; lane < means.length; lane++) {
      if (plan.kept(lane * plan.sets() / means.length) < before.length(before.setOf(lane))) {
        known[lane] = 0;
      }
    }
  }
}
