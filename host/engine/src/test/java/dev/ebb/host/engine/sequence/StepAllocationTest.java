package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenPolicy.Trigger;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A step of a loop that prunes allocates nothing on the heap, once it is warm. */
class StepAllocationTest {

  private static final int WARM = 300;
  private static final int STEPS = 50;
  private static final int ROUNDS = 8;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @ParameterizedTest(name = "{0}, {1} lane groups, budget {2}, signals {3}")
  @CsvSource({
    "SEQUENCE,1,uniform,''",
    "LAYER,1,uniform,WINDOW_ATTENTION",
    "KV_HEAD,1,uniform,WINDOW_ATTENTION",
    "KV_HEAD,1,uniform,ACCUMULATED_ATTENTION",
    "KV_HEAD,1,uniform,KEY_NORM",
    "KV_HEAD,1,uniform,KEYS",
    "KV_HEAD,1,uniform,KEY_MEAN",
    "KV_HEAD,1,uniform,VALUE_NORM",
    "KV_HEAD,1,uniform,QUERY_MEAN",
    "KV_HEAD,1,uniform,QUERY_COVARIANCE",
    "KV_HEAD,1,uniform,STATE",
    "KV_HEAD,4,ada,KEY_NORM",
    "LAYER,2,pyramid,KEY_NORM"
  })
  void allocatesNothing(Granularity granularity, int groups, String budget, String signal) {
    Signal read = signal.isEmpty() ? null : Signal.valueOf(signal);
    Set<Signal> signals = read == null ? Set.of() : Set.of(read);
    try (HostDevice device = new HostDevice();
        GenerationLoop loop =
            new GenerationLoop(
                device,
                groups,
                GenerationLoop.config(budget, 48, 0.5),
                GenerationLoop.observing(true, true),
                (of, name) -> new Reading(granularity, signals, read))) {
      int[] token = {1};
      for (int step = 0; step < WARM; step++) {
        loop.sequence.append(token);
        loop.computeAndObserve();
        loop.manager.maybeEvict(loop.sequence);
      }
      long least = Long.MAX_VALUE;
      // The JVM itself allocates now and then, when it compiles or links something.
      for (int round = 0; round < ROUNDS; round++) {
        long allocated = 0;
        for (int step = 0; step < STEPS; step++) {
          allocated += step(loop, token);
        }
        least = Math.min(least, allocated);
      }
      assertThat(least).as("bytes in %d steps", STEPS).isZero();
    }
  }

  private long step(GenerationLoop loop, int[] token) {
    long start = threads.getCurrentThreadAllocatedBytes();
    loop.sequence.append(token);
    long allocated = threads.getCurrentThreadAllocatedBytes() - start;
    loop.compute();
    allocated += loop.observe(threads::getCurrentThreadAllocatedBytes);
    start = threads.getCurrentThreadAllocatedBytes();
    TokenEviction eviction = loop.manager.maybeEvict(loop.sequence);
    allocated += threads.getCurrentThreadAllocatedBytes() - start;
    assertThat(eviction.evicted()).isTrue();
    return allocated;
  }

  /** Scores by what it reads. */
  private record Reading(Granularity granularity, Set<Signal> signals, @Nullable Signal read)
      implements TokenPolicy {

    @Override
    public int window() {
      return 4;
    }

    @Override
    public Trigger trigger() {
      return Trigger.UNDER_PRESSURE;
    }

    @Override
    public void protect(TokenView view, BitSet mask) {
      mask.set(view.length() - 4, view.length());
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      int sets = granularity == Granularity.KV_HEAD ? view.kvHeads() : 1;
      for (int i = 0; i < sets * view.length(); i++) {
        out[i] = i * 37 % 101;
      }
      if (read != null) {
        MemorySegment signal = view.signal(read, layer);
        out[0] += signal.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0);
      }
    }
  }
}
