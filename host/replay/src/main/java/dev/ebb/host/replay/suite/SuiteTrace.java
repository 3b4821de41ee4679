package dev.ebb.host.replay.suite;

import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceException;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A trace of a suite: a file, or a synthetic shape with options.
 *
 * @param file null for a synthetic trace
 * @param shape null for a file
 * @param options returns the options of a synthetic trace
 */
public record SuiteTrace(
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
