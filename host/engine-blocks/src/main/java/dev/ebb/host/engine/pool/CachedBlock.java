package dev.ebb.host.engine.pool;

import dev.ebb.host.engine.request.Namespace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cached block of a prefix, with all its lane groups, at one moment.
 *
 * @param key 32 hexadecimal digits that identify the block and all before it
 * @param depth the number of blocks before it in the prompt
 * @param tokens the tokens of the prompt up to its end
 * @param namespace that of its prompt; null while it is computed
 * @param sequences open sequences that use it
 * @param accesses uses, 1 when it is cached
 * @param pins operators' pins on it, without those on blocks behind it
 * @param tenant the tenant of its last use; null if unknown
 */
public record CachedBlock(
    String key,
    String device,
    long bytes,
    int depth,
    long tokens,
    @Nullable Namespace namespace,
    int sequences,
    Duration age,
    Duration idle,
    int accesses,
    List<Pin> pins,
    @Nullable String tenant) {

  public CachedBlock {
    pins = List.copyOf(pins);
  }

  /** An operator's pin, which keeps a block and all before it until its end, null for never. */
  public record Pin(String owner, Instant since, @Nullable Instant expiresAt) {

    boolean isOver(Instant now) {
      return expiresAt != null && !expiresAt.isAfter(now);
    }
  }

  /** A part of all cached blocks; {@code next} is the cursor of the next part, 0 at the end. */
  public record Page(List<CachedBlock> blocks, long next) {

    public Page {
      blocks = List.copyOf(blocks);
    }
  }

  /**
   * The result of a manual eviction.
   *
   * @param askedBytes requested bytes; 0 if blocks were counted
   * @param blocks evicted blocks, with all their lane groups
   * @param reason why less was evicted than requested; empty if it was not
   */
  public record Eviction(
      long askedBytes, long freedBytes, long blocks, long before, long after, String reason) {}
}
