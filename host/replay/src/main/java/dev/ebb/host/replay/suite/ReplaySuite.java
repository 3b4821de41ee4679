package dev.ebb.host.replay.suite;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.replay.Capacity;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceException;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A named set of traces, capacities and policies.
 *
 * @param traces at least one, with different names
 * @param policies the policies to compare; empty for all that are installed
 * @param seeds the number of seeds, from {@code seed} on
 * @param limit requests to replay of each trace at most
 */
public record ReplaySuite(
    String name,
    List<Trace> traces,
    List<PolicySpec> policies,
    List<Capacity> capacities,
    ReplayModel model,
    long seed,
    int seeds,
    long limit) {

  public ReplaySuite {
    traces = List.copyOf(traces);
    policies = List.copyOf(policies);
    capacities = List.copyOf(capacities);
  }

  /**
   * A trace of a suite: a file, or a synthetic shape with options.
   *
   * @param file null for a synthetic trace
   * @param shape null for a file
   * @param options returns the options of a synthetic trace
   */
  public record Trace(
      String name,
      @Nullable Path file,
      SyntheticTrace.@Nullable Shape shape,
      Supplier<SyntheticOptions> options) {

    /** Tokens of a block of a synthetic trace. */
    public static final int BLOCK_TOKENS = 16;

    /** Returns whether each seed makes another trace. */
    public boolean synthetic() {
      return file == null;
    }

    /**
     * Opens the trace.
     *
     * @throws TraceException if it cannot be opened
     */
    public TraceCursor open(long seed, OnError onError) {
      return file == null
          ? new SyntheticTrace(Objects.requireNonNull(shape), options.get().seed(seed))
          : TraceReader.open(file, onError);
    }
  }
}
