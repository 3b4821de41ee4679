package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.shadow.AccessBatch.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the resident entries from which a shadow policy starts. */
final class Seeds {

  private Seeds() {}

  private record Resident(long key, long blocks, RequestFacts facts, long tick) {}

  /**
   * Returns the sampled residents of a partition, coldest first, in the order of a policy switch.
   */
  static AccessBatch of(PolicySite site, int part, Sampling sampling) {
    List<Resident> residents = new ArrayList<>();
    site.places()
        .get(part)
        .residents(entry -> {
          long key = entry.fingerprint();
          if (Sampling.place(key, sampling.salt()) < sampling.threshold()) {
            residents.add(
                new Resident(key, entry.blocks(), entry.lastUse(), entry.lastAccessTick()));
          }
        });
    residents.sort(Comparator.comparingLong(Resident::tick));
    AccessBatch batch = new AccessBatch(part, Math.max(1, residents.size()));
    long now = site.clock().nanos();
    residents.forEach(each -> batch.add(Kind.RESIDENT, each.key, each.blocks, now, each.facts));
    return batch;
  }
}
