package dev.ebb.host.tokens.signals;

import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The numbers that one policy keeps of a sequence's tokens: by lane, by index, oldest token first.
 * Zero behind the newest token. Not thread-safe.
 */
final class TokenStates {

  /** Weak, so that a sequence does not keep a former policy's class loader. */
  private final WeakReference<SequenceView> owner;

  private final float[][] states;

  TokenStates(SequenceView owner, int lanes) {
    this(new WeakReference<>(owner), new float[lanes][0]);
  }

  private TokenStates(WeakReference<SequenceView> owner, float[][] states) {
    this.owner = owner;
    this.states = states;
  }

  TokenStates copy() {
    return new TokenStates(
        owner, Arrays.stream(states).map(float[]::clone).toArray(float[][]::new));
  }

  boolean belongsTo(SequenceView view) {
    return owner.refersTo(view);
  }

  boolean abandoned() {
    return owner.refersTo(null);
  }

  private float[] grown(int lane, int length) {
    if (states[lane].length < length) {
      states[lane] = Arrays.copyOf(states[lane], length + length / 4);
    }
    return states[lane];
  }

  void read(int lane, float[] out, int at, int length) {
    System.arraycopy(grown(lane, length), 0, out, at, length);
  }

  void write(int lane, float[] from, int at, int length) {
    System.arraycopy(from, at, grown(lane, length), 0, length);
  }

  /** Drops the tokens that the plan drops. The stored tokens are still those before it. */
  void keep(Packing plan, StoredTokens before) {
    for (int lane = 0; lane < states.length; lane++) {
      int set = lane * plan.sets() / states.length;
      int length = before.length(before.setOf(lane));
      float[] values = grown(lane, length);
      plan.moveByIndex(set, values, 0, 0);
      Arrays.fill(values, plan.kept(set), length, 0);
    }
  }
}
