package dev.ebb.host.tokens.signals;

import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The numbers that one policy keeps of a sequence's tokens: by lane and place in a token's numbers,
 * by index, oldest token first. Zero behind the newest token. Not thread-safe.
 */
final class TokenStates {

  /** Weak, so that a sequence does not keep a former policy's class loader. */
  private final WeakReference<SequenceView> owner;

  private final int size;
  private final float[][] states;

  TokenStates(SequenceView owner, int lanes) {
    this(new WeakReference<>(owner), owner.stateSize(), new float[lanes * owner.stateSize()][0]);
  }

  private TokenStates(WeakReference<SequenceView> owner, int size, float[][] states) {
    this.owner = owner;
    this.size = size;
    this.states = states;
  }

  TokenStates copy() {
    return new TokenStates(
        owner, size, Arrays.stream(states).map(float[]::clone).toArray(float[][]::new));
  }

  boolean belongsTo(SequenceView view) {
    return owner.refersTo(view);
  }

  boolean abandoned() {
    return owner.refersTo(null);
  }

  private float[] grown(int place, int length) {
    if (states[place].length < length) {
      states[place] = Arrays.copyOf(states[place], length + length / 4);
    }
    return states[place];
  }

  /** Copies the numbers of a lane's tokens, those of a token together. */
  void read(int lane, float[] out, int at, int length) {
    for (int i = 0; i < size; i++) {
      float[] from = grown(lane * size + i, length);
      for (int token = 0; token < length; token++) {
        out[at + token * size + i] = from[token];
      }
    }
  }

  void write(int lane, float[] from, int at, int length) {
    for (int i = 0; i < size; i++) {
      float[] to = grown(lane * size + i, length);
      for (int token = 0; token < length; token++) {
        to[token] = from[at + token * size + i];
      }
    }
  }

  /** Drops the tokens that the plan drops. The stored tokens are still those before it. */
  void keep(Packing plan, StoredTokens before) {
    int lanes = states.length / size;
    for (int place = 0; place < states.length; place++) {
      int lane = place / size;
      int set = lane * plan.sets() / lanes;
      int length = before.length(before.setOf(lane));
      float[] values = grown(place, length);
      plan.moveByIndex(set, values, 0, 0);
      Arrays.fill(values, plan.kept(set), length, 0);
    }
  }
}
