package dev.ebb.benchmarks;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.testkit.TestEntry;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** A policy alone: what its own bookkeeping costs for one access. */
public class PolicyBenchmark extends EachPolicyBenchmark {

  private Held<?> held = new Held<>(Policies.create("lru", 1), 0);

  @Setup
  public void fill() {
    draw();
    held = new Held<>(Policies.create(policy, residents), residents);
  }

  /** An access on a zipf(0.9) stream. */
  @Benchmark
  public void access() {
    held.access(next());
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
