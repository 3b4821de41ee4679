package dev.ebb.benchmarks;

import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.signals.Observations;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A step of a generation loop with a full window of 2,048 tokens in the shape of Llama-3-8B: room
 * for a token, a key of random length in each lane, the engine's observations, and one token
 * dropped. Each lane drops another one.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-XX:+UseParallelGC", "--enable-native-access=ALL-UNNAMED"})
public class TokenStepBenchmark {

  private static final KvLayout LAYOUT = new KvLayout(32, 8, 128, 16, DType.FP16);
  private static final int KEPT = 2_048;
  private static final int QUERY_HEADS = 32;

  /** A folder with {@code plugins/}. */
  @Param(".")
  public String home = ".";

  @Param({"sliding-window", "knorm", "h2o"})
  public String policy = "sliding-window";

  private final int[] token = {1};
  private final MemorySegment queries =
      MemorySegment.ofArray(new float[QUERY_HEADS * LAYOUT.headDim()]);
  private final SplittableRandom random = new SplittableRandom(1);
  private final MemorySegment[] attention = new MemorySegment[LAYOUT.layers()];
  private Ebb ebb = Ebb.bare(LAYOUT, LAYOUT.blockBytes());
  private Sequence sequence = ebb.open(SequenceRequest.of(Namespace.of("steps")));

  /** A sequence whose window is full. */
  @Setup
  public void open() {
    close();
    for (int layer = 0; layer < attention.length; layer++) {
      float[] shares = new float[QUERY_HEADS * (KEPT + 1)];
      for (int i = 0; i < shares.length; i++) {
        shares[i] = (float) random.nextDouble(2.0 / KEPT);
      }
      attention[layer] = MemorySegment.ofArray(shares);
    }
    String settings =
        "ebb { pool { device = host, size = 300 MiB }, eviction.policy = none, tokens { policy = %s, window = %d } }"
            .formatted(policy, KEPT);
    ebb =
        Ebb.start(
            EbbOptions.of(LAYOUT, Path.of(home))
                .withSettings(settings)
                .withObservations(new Observations(QUERY_HEADS, true, true)));
    sequence = ebb.open(SequenceRequest.of(Namespace.of("steps"), new int[KEPT]));
  }

  /** Frees the pool. */
  @TearDown
  public final void close() {
    sequence.close();
    ebb.close();
  }

  @Benchmark
  public TokenEviction step() {
    sequence.append(token);
    writeKeys();
    for (int layer = 0; layer < LAYOUT.layers(); layer++) {
      sequence.observeQueries(layer, 1, queries);
      sequence.observeAttention(layer, 1, attention[layer]);
    }
    TokenEviction eviction = ebb.tokens().maybeEvict(sequence);
    if (!eviction.evicted()) {
      throw new IllegalStateException("nothing was dropped: " + eviction);
    }
    return eviction;
  }

  /** The first element of a key decides its length: all others are zero. */
  private void writeKeys() {
    try (KvAccess kv = sequence.access()) {
      for (int lane = 0; lane < LAYOUT.layers() * LAYOUT.kvHeads(); lane++) {
        int row = kv.length(lane) - 1;
        long at = (long) row % LAYOUT.blockTokens() * LAYOUT.rowBytes();
        short element = Float.floatToFloat16((float) random.nextDouble());
        kv.keys(lane, row / LAYOUT.blockTokens()).set(ValueLayout.JAVA_SHORT, at, element);
      }
    }
  }
}
