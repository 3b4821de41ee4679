import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.sequence.TokenPruner;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;

/** Appends 200 tokens to a sequence that keeps a window of 16. */
public final class EndlessEngine {

  static final int BLOCK_TOKENS = 4;
  static final int DIM = 8;

  public static void main(String[] args) {
    run(Path.of(args[0]), System.out);
  }

  public static void run(Path home, PrintStream out) {
    KvLayout layout = new KvLayout(1, 1, DIM, BLOCK_TOKENS, DType.FP32);
    EbbOptions options =
        EbbOptions.of(layout, home)
            .withSettings(
                """
                ebb {
                  pool { device = host, size = 64 KiB }
                  eviction.policy = none
                  tokens { policy = sliding-window, window = 16 }
                  tokens.policies.sliding-window { protected-prefix = 4, window = 12 }
                }
                """);
    try (Ebb ebb = Ebb.start(options);
        Sequence sequence = ebb.open(SequenceRequest.of(Namespace.of("tiny"), 1, 2, 3))) {
      TokenPruner pruner = ebb.tokens();
      for (int step = 0; step < 200; step++) {
        int position = sequence.position();
        sequence.append(position % 50);
        try (KvAccess kv = sequence.access()) {
          int row = kv.length(0) - 1;
          MemorySegment keys = kv.keys(0, row / BLOCK_TOKENS);
          // The key is rotated by its position and stored in its row.
          keys.setAtIndex(ValueLayout.JAVA_FLOAT, (long) row % BLOCK_TOKENS * DIM, position);
        }
        TokenEviction eviction = pruner.maybeEvict(sequence);
        if (eviction.evicted() && step == 20) {
          out.println(eviction.cause() + ": " + eviction.removedTokens() + " of 17 tokens dropped");
        }
      }
      out.printf(
          "position %d, %d rows, %d bytes%n",
          sequence.position(), sequence.length(), sequence.bytes());
      try (KvAccess kv = sequence.reading()) {
        out.println(Arrays.toString(Arrays.stream(kv.positions(0)).sorted().toArray()));
      }
    }
  }
}
