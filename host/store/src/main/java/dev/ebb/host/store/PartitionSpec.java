package dev.ebb.host.store;

import org.jspecify.annotations.Nullable;

/**
 * A part of the pool, with memory, lock and policy of its own.
 *
 * @param name for messages and metrics
 * @param tenant whose it is; null for everybody else's
 * @param bytes how much memory it has, at least 64 KiB
 */
public record PartitionSpec(String name, @Nullable String tenant, long bytes) {

  /** The name of the partition that everybody shares who has no quota. */
  public static final String DEFAULT = "default";
}
