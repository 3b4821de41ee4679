package dev.ebb.benchmarks;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.testkit.TestEntry;
import java.util.ArrayList;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;

/** A policy alone: what its own bookkeeping costs for one access. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {"-XX:+UseParallelGC", "-Xms4g", "-Xmx4g"})
public class PolicyBenchmark {

  /** The policy's name. */
  @Param({"lru", "fifo", "sieve", "s3-fifo", "arc", "lfu", "priority", "lifetime", "predictive"})
  String policy = "";

  /** Entries held. */
  @Param({"1000", "100000", "1000000"})
  int residents;

  private Held<?> held = new Held<>(Policies.create("lru", 1), 0);
  private int[] stream = new int[0];
  private int next;

  /** Fills the policy. */
  @Setup
  public void fill() {
    stream = Zipf.stream(residents);
    held = new Held<>(Policies.create(policy, residents), residents);
  }

  /** An access on a zipf(0.9) stream. */
  @Benchmark
  public void access() {
    held.access(stream[next++ & Zipf.MASK]);
  }

  private static final class Held<N> {
    private final BlockPolicy<N> policy;
    private final List<TestEntry> entries = new ArrayList<>();
    private final List<N> nodes = new ArrayList<>();
    private long tick;

    Held(BlockPolicy<N> policy, int residents) {
      this.policy = policy;
      for (int i = 0; i < residents; i++) {
        TestEntry entry = TestEntry.of(i * 0x9E3779B97F4A7C15L).created(tick, ++tick);
        entries.add(entry);
        nodes.add(policy.inserted(entry));
      }
    }

    void access(int index) {
      entries.get(index).used(tick, ++tick);
      policy.accessed(nodes.get(index));
    }
  }
}
