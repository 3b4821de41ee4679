import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** Computes one attention layer with fixed weights for two prompts with the same beginning. */
public final class TinyEngine {

  static final int BLOCK_TOKENS = 4;
  static final int DIM = 8;

  public static void main(String[] args) {
    run(Path.of(args[0]), System.out);
  }

  public static void run(Path home, PrintStream out) {
    KvLayout layout = new KvLayout(1, 1, DIM, BLOCK_TOKENS, DType.FP32);
    EbbOptions options =
        EbbOptions.of(layout, home)
            .withSettings("ebb { pool { device = host, size = 64 KiB }, eviction.policy = lru }");
    try (Ebb ebb = Ebb.start(options)) {
      serve(ebb, out, 1, 2, 3, 4, 5, 6, 7, 8, 9);
      serve(ebb, out, 1, 2, 3, 4, 5, 6, 7, 8, 20, 21);
      out.println("cached blocks: " + ebb.pool().report().cachedBlocks());
    }
  }

  static void serve(Ebb ebb, PrintStream out, int... prompt) {
    SequenceRequest request = SequenceRequest.of(Namespace.of("tiny"), prompt).withTenant("docs");
    try (Sequence sequence = ebb.open(request)) {
      int matched = sequence.matchedTokens();
      int next = 0;
      // K and V of the matched tokens are cached. The last token is always computed, because its
      // output is needed.
      for (int i = Math.min(matched, prompt.length - 1); i < prompt.length; i++) {
        next = step(sequence, prompt[i], i, i >= matched);
      }
      for (int position = prompt.length; position < 16; position++) {
        sequence.append(next);
        next = step(sequence, next, position, true);
      }
      sequence.finish();
      out.printf("%d of %d tokens matched%n", matched, prompt.length);
    }
  }

  /** Computes one token, and returns the next one. */
  static int step(Sequence sequence, int token, int position, boolean write) {
    try (KvAccess kv = sequence.access()) {
      if (write) {
        MemorySegment keys = kv.keys(0, position / BLOCK_TOKENS);
        MemorySegment values = kv.values(0, position / BLOCK_TOKENS);
        for (int dim = 0; dim < DIM; dim++) {
          keys.setAtIndex(ValueLayout.JAVA_FLOAT, at(position, dim), weight(token, dim));
          values.setAtIndex(ValueLayout.JAVA_FLOAT, at(position, dim), weight(dim, token));
        }
      }
      float[] seen = new float[DIM];
      for (int earlier = 0; earlier <= position; earlier++) {
        MemorySegment keys = kv.keys(0, earlier / BLOCK_TOKENS);
        MemorySegment values = kv.values(0, earlier / BLOCK_TOKENS);
        float dot = 0;
        for (int dim = 0; dim < DIM; dim++) {
          dot += weight(token, dim) * keys.getAtIndex(ValueLayout.JAVA_FLOAT, at(earlier, dim));
        }
        for (int dim = 0; dim < DIM; dim++) {
          seen[dim] +=
              (float) Math.exp(dot) * values.getAtIndex(ValueLayout.JAVA_FLOAT, at(earlier, dim));
        }
      }
      int best = 0;
      for (int dim = 1; dim < DIM; dim++) {
        best = seen[dim] > seen[best] ? dim : best;
      }
      return best;
    }
  }

  /** Returns the index of an element in its page. */
  static long at(int token, int dim) {
    return (long) token % BLOCK_TOKENS * DIM + dim;
  }

  static float weight(int a, int b) {
    return (float) Math.sin(a * 7 + b * 3);
  }
}
