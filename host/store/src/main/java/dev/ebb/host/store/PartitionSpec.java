package dev.ebb.host.store;

import org.jspecify.annotations.Nullable;

/**
 * A part of the pool, with memory, lock and policy of its own.
 *
 * @param name for messages and metrics
 * @param tenant its tenant; null for the shared part
 * @param bytes its memory, at least 64 KiB
 */
public record PartitionSpec(String name, @Nullable String tenant, long bytes) {

  /** The name of the part shared by all tenants without a quota. */
  public static final String DEFAULT = "default";
}
