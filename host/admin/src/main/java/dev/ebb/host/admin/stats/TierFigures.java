package dev.ebb.host.admin.stats;

import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.tier.DiskStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tiers of a server, with the disk's rates of the latest measuring interval. Thread-safe. */
final class TierFigures {

  private final @Nullable DiskStore disk;
  private final RecentLatency reading = new RecentLatency();
  private long stepNanos = System.nanoTime();
  private long writtenBytes;
  private double writtenPerSecond;

  TierFigures(@Nullable DiskStore disk) {
    this.disk = disk;
  }

  void addTo(Routes routes, Stats stats) {
    routes.document(
        Operation.get("/api/v1/tiers", TierDocument.Tiers.class, "memory, and the disk if any"),
        () -> new TierDocument.Tiers(stats.document().tiers()));
  }

  /** Ends a measuring interval. */
  synchronized void step() {
    if (disk == null) {
      return;
    }
    DiskTierStats tier = disk.stats();
    reading.step(tier.latency());
    long now = System.nanoTime();
    long written = tier.disk().writtenBytes();
    writtenPerSecond = (written - writtenBytes) * 1e9 / Math.max(1, now - stepNanos);
    writtenBytes = written;
    stepNanos = now;
  }

  /** Returns the tiers, memory first. */
  synchronized List<TierDocument> tiers(StoreStats store) {
    TierDocument memory = TierDocument.memory(store);
    if (disk == null) {
      return List.of(memory);
    }
    DiskTierStats tier = disk.stats();
    return List.of(memory, TierDocument.disk(tier, reading.took(tier.latency()), writtenPerSecond));
  }
}
