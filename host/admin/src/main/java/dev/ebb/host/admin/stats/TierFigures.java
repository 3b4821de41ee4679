package dev.ebb.host.admin.stats;

import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tiers of a process, with the disk's rates of the latest measuring interval. Thread-safe. */
public final class TierFigures {

  private final Supplier<@Nullable DiskTierStats> disk;
  private final RecentLatency reading = new RecentLatency();
  private long stepNanos = System.nanoTime();
  private long writtenBytes;
  private double writtenPerSecond;

  /** Creates the figures of a disk, of which there are none if it returns null. */
  public TierFigures(Supplier<@Nullable DiskTierStats> disk) {
    this.disk = disk;
  }

  /** Adds the operation that returns the tiers. */
  public static void addTo(Routes routes, Supplier<List<TierDocument>> tiers) {
    routes.document(
        Operation.get("/api/v1/tiers", TierDocument.Tiers.class, "memory, and the disk if any"),
        () -> new TierDocument.Tiers(tiers.get()));
  }

  /** Ends a measuring interval. */
  public synchronized void step() {
    DiskTierStats tier = disk.get();
    if (tier == null) {
      return;
    }
    reading.step(tier.latency());
    long now = System.nanoTime();
    long written = tier.disk().writtenBytes();
    writtenPerSecond = (written - writtenBytes) * 1e9 / Math.max(1, now - stepNanos);
    writtenBytes = written;
    stepNanos = now;
  }

  /** Returns the tiers, memory first. */
  public synchronized List<TierDocument> tiers(TierDocument memory) {
    DiskTierStats tier = disk.get();
    if (tier == null) {
      return List.of(memory);
    }
    return List.of(memory, TierDocument.disk(tier, reading.took(tier.latency()), writtenPerSecond));
  }
}
