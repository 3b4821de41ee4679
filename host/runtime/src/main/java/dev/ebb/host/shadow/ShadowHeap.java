package dev.ebb.host.shadow;

import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.units.ByteSize;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Estimates whether shadow policies fit into the Java heap. */
public final class ShadowHeap {

  /** A simulated cache holds twice the entries of its sample. Measured: 200 bytes each. */
  private static final double ENTRY_BYTES = 2 * 200;

  /** The heap of a process without entries. */
  private static final long BASE_BYTES = 24L << 20;

  /** The entries of the live cache take the rest. */
  private static final double SHARE_OF_HEAP = 0.4;

  private ShadowHeap() {}

  /**
   * Returns a warning; null if they fit, or if a rate is configured: then the need depends on the
   * size of the values.
   *
   * @param rate the configured rate; 0 for automatic
   */
  public static @Nullable String warning(
      List<ShadowSpec> policies, double rate, long maxHeapBytes) {
    if (policies.isEmpty() || rate > 0) {
      return null;
    }
    // The active policy is simulated too.
    double caches = 1 + policies.stream().mapToDouble(ShadowSpec::memory).sum();
    long need = (long) (caches * Rates.CANDIDATES.entries() * ENTRY_BYTES);
    return need <= SHARE_OF_HEAP * (maxHeapBytes - BASE_BYTES)
        ? null
        : "%s may take up to %s of the Java heap, which has %s; increase it, for example with EBB_JAVA_OPTS=-Xmx%dg, or use fewer policies or less memory"
            .formatted(
                ShadowConfig.POLICIES,
                ByteSize.format(need),
                ByteSize.format(maxHeapBytes),
                (long) Math.ceil((need / SHARE_OF_HEAP + BASE_BYTES) / (1 << 30)));
  }
}
