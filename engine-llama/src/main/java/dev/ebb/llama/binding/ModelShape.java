package dev.ebb.llama.binding;

/**
 * A model's dimensions.
 *
 * @param architecture its name in the file: {@code llama}
 * @param kvHeads KV heads a layer; query head h reads KV head h / (queryHeads / kvHeads)
 * @param trainedContext the longest context it was trained on, in tokens
 */
public record ModelShape(
    String architecture,
    int layers,
    int queryHeads,
    int kvHeads,
    int headDimension,
    int trainedContext,
    int vocabulary) {

  private static final int USUAL_CONTEXT = 4096;
  private static final int HALF_FLOAT_BYTES = 2;

  /** Returns the tokens of a context if the user names no number. */
  public int usualContext() {
    return trainedContext < 1 ? USUAL_CONTEXT : Math.min(trainedContext, USUAL_CONTEXT);
  }

  /**
   * Returns the memory of one KV cell: a key and a value for each layer and KV head, in 16 bits.
   */
  public long cellBytes() {
    return 2L * HALF_FLOAT_BYTES * layers * kvHeads * headDimension;
  }

  /** Returns the memory of one layer's attention while a batch is computed, in 32 bits. */
  public long attentionBytes(int batch, int cells) {
    return (long) Float.BYTES * queryHeads * batch * cells;
  }
}
