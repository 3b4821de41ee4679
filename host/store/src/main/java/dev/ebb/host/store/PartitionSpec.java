package dev.ebb.host.store;

import dev.ebb.host.config.TenantQuota;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the pool, with memory, lock and policy of its own.
 *
 * @param bytes its memory, at least 64 KiB
 */
public record PartitionSpec(String name, @Nullable String tenant, long bytes) {

  /** The name of the part shared by all tenants without a quota. */
  public static final String DEFAULT = "default";

  /** The minimum size of a part: one block. */
  private static final long LEAST = 64 << 10;

  /** Divides a pool between the tenants that have a quota and all others. */
  static List<PartitionSpec> divide(long poolBytes, List<TenantQuota> tenants) {
    List<PartitionSpec> parts = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    long left = poolBytes;
    for (TenantQuota tenant : tenants) {
      long bytes = tenant.quota().bytesOf(poolBytes);
      if (bytes < LEAST) {
        problems.add(
            "%s: the quota of tenant '%s' is '%s' of a pool of '%s', and must be at least %s"
                .formatted(
                    tenant.where(),
                    tenant.name(),
                    ByteSize.format(bytes),
                    ByteSize.format(poolBytes),
                    ByteSize.format(LEAST)));
      }
      left -= bytes;
      parts.add(new PartitionSpec(tenant.part(), tenant.name(), bytes));
    }
    if (problems.isEmpty() && left < LEAST && !tenants.isEmpty()) {
      problems.add(
          "ebb.tenants: the quotas add up to '%s', and a pool of '%s' must leave %s for all others; lower them, or raise ebb.pool.size"
              .formatted(
                  ByteSize.format(poolBytes - left),
                  ByteSize.format(poolBytes),
                  ByteSize.format(LEAST)));
    }
    UserError.throwIfAny(problems);
    parts.addFirst(new PartitionSpec(PartitionSpec.DEFAULT, null, left));
    return parts;
  }
}
