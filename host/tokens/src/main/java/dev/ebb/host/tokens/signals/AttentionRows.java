package dev.ebb.host.tokens.signals;

import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The attention observed by the engine in one layer. For each KV head it has the sum that each
 * stored token has received, by row, as the engine observes it. For each query head it has the last
 * attention rows, by index, oldest token first. Not thread-safe.
 */
final class AttentionRows {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int firstLane;
  private final int group;
  private final int window;
  private final boolean sums;
  private final float[][] received;

  private final float[][] last;

  private int held;
  private int position = -1;

  /** Creates an empty record that keeps the last rows of a window, 0 for none. */
  AttentionRows(int firstLane, int kvHeads, int group, int window, boolean sums) {
    this.firstLane = firstLane;
    this.group = group;
    this.window = window;
    this.sums = sums;
    received = new float[kvHeads][0];
    last = new float[kvHeads * group][0];
  }

  AttentionRows copy() {
    AttentionRows copy = new AttentionRows(firstLane, received.length, group, window, sums);
    Arrays.setAll(copy.received, head -> received[head].clone());
    Arrays.setAll(copy.last, head -> last[head].clone());
    copy.held = held;
    copy.position = position;
    return copy;
  }

  /**
   * Adds the attention of the newest queries.
   *
   * @param rows {@code [queryHeads][count][longest]}: over the rows in use, zero where a query does
   *     not attend; longest is the length of the layer's longest KV head
   */
  void add(MemorySegment rows, int count, StoredTokens stored, GrowableFloats scratch) {
    int longest = longest(stored);
    held = Math.min(window, count);
    position = stored.position();
    float[] shares = scratch.of(longest);
    for (int head = 0; head < last.length; head++) {
      int set = stored.setOf(firstLane + head / group);
      int length = stored.length(set);
      float[] sum = grown(head / group, length);
      if (last[head].length < held * length) {
        last[head] = new float[held * (length + length / 4)];
      }
      for (int i = 0; i < count; i++) {
        long row = ((long) head * count + i) * longest;
        MemorySegment.copy(rows, FLOAT, row * Float.BYTES, shares, 0, length);
        if (sums) {
          add(shares, sum, length);
        }
        int kept = i - (count - held);
        for (int index = 0; kept >= 0 && index < length; index++) {
          last[head][kept * length + index] = shares[stored.row(set, index)];
        }
      }
    }
  }

  private static void add(float[] shares, float[] sum, int length) {
    for (int row = 0; row < length; row++) {
      sum[row] += shares[row];
    }
  }

  int longest(StoredTokens stored) {
    int longest = 0;
    for (int head = 0; head < received.length; head++) {
      longest = Math.max(longest, stored.length(stored.setOf(firstLane + head)));
    }
    return longest;
  }

  private float[] grown(int kvHead, int length) {
    if (sums && received[kvHead].length < length) {
      received[kvHead] = Arrays.copyOf(received[kvHead], length + length / 4);
    }
    return received[kvHead];
  }

  /** Returns whether the newest token's attention is known. */
  boolean current(StoredTokens stored) {
    return position == stored.position();
  }

  /** Returns for how many of the newest queries the rows are known. */
  int held(StoredTokens stored) {
    return current(stored) ? held : 0;
  }

  /** Copies what each token of a KV head has received, by index. */
  void copyReceived(float[] out, int at, int kvHead, StoredTokens stored) {
    stored.copyByIndex(stored.setOf(firstLane + kvHead), received[kvHead], out, at);
  }

  /** Copies the last rows of a query head: {@code [count][length]}. */
  void copyTo(float[] out, int at, int head, int count, int length) {
    System.arraycopy(last[head], (held - count) * length, out, at, count * length);
  }

  /** Drops the tokens that the plan drops. The stored tokens are still those before it. */
  void keep(Packing plan, StoredTokens before) {
    for (int head = 0; head < last.length; head++) {
      int lane = firstLane + head / group;
      int set = lane * plan.sets() / (before.lanesPerSet() * before.sets());
      int length = before.length(before.setOf(lane));
      int kept = plan.kept(set);
      if (sums && head % group == 0) {
        float[] sum = grown(head / group, length);
        plan.moveByRow(set, sum);
        Arrays.fill(sum, kept, length, 0);
      }
      if (current(before)) {
        for (int row = 0; row < held; row++) {
          plan.moveByIndex(set, last[head], row * length, row * kept);
        }
      }
    }
  }
}
