package dev.ebb.jlama;

import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.tensor.AbstractTensor;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import java.lang.foreign.ValueLayout;

/** A sequence of Ebb that Jlama computes on. For one thread. */
public final class JlamaSequence {

  private final AbstractModel model;
  private final BlockBuffer buffer;
  private final Sequence sequence;

  JlamaSequence(AbstractModel model, BlockBuffer buffer, Sequence sequence) {
    this.model = model;
    this.buffer = buffer;
    this.sequence = sequence;
  }

  /** Computes tokens from a position on; those before must be computed or cached. */
  public void compute(int first, int... tokens) {
    try (KvAccess access = sequence.access()) {
      buffer.open(sequence, access);
      forward(first, tokens).close();
    }
  }

  /**
   * Computes K and V of tokens, and the logits after the last one.
   *
   * @param first the position of the first one; all of them have room in the sequence
   * @param logits receives one number for each token of the vocabulary
   */
  public int compute(int first, int[] tokens, float[] logits) {
    try (KvAccess access = sequence.access()) {
      buffer.open(sequence, access);
      AbstractTensor<?, ?> output = forward(first, tokens);
      try (AbstractTensor<?, ?> all = model.makeDenseTensor(logits.length)) {
        int likeliest = model.sample(output.slice(output.shape().first() - 1), 0, 0, all);
        all.getMemorySegment()
            .asByteBuffer()
            .order(ValueLayout.JAVA_FLOAT.order())
            .asFloatBuffer()
            .get(logits);
        return likeliest;
      } finally {
        output.close();
      }
    }
  }

  private AbstractTensor<?, ?> forward(int first, int... tokens) {
    return model.batchForward(tokens, first, buffer);
  }
}
