package dev.ebb.llama.binding;

import java.util.Arrays;

/** Tokens to compute together, of any sequences. Reuses its memory. Not thread-safe. */
public final class TokenBatch {

  private int[] tokens = new int[64];
  private int[] positions = new int[64];
  private int[] owners = new int[64];
  private boolean[] outputs = new boolean[64];
  private int size;

  /** Adds a token at a logical position of its sequence, 0 or more. */
  public void add(int token, int position, int owner, boolean output) {
    if (position < 0) {
      throw new IllegalArgumentException("position '%d' is negative".formatted(position));
    }
    if (size == tokens.length) {
      tokens = Arrays.copyOf(tokens, 2 * size);
      positions = Arrays.copyOf(positions, 2 * size);
      owners = Arrays.copyOf(owners, 2 * size);
      outputs = Arrays.copyOf(outputs, 2 * size);
    }
    tokens[size] = token;
    positions[size] = position;
    owners[size] = owner;
    outputs[size++] = output;
  }

  public void clear() {
    size = 0;
  }

  public int size() {
    return size;
  }

  int token(int index) {
    return tokens[index];
  }

  public int position(int index) {
    return positions[index];
  }

  int owner(int index) {
    return owners[index];
  }

  boolean output(int index) {
    return outputs[index];
  }
}
