package dev.ebb.host.shadow;

import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.shadow.AccessBatch.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is resident when a candidate begins, so that it does not begin with nothing. */
final class Seeds {

  private Seeds() {}

  private record Resident(long key, long blocks, RequestFacts facts, long tick) {}

  /** The sampled residents of a part, coldest first, as a swap hands them over. */
  static AccessBatch of(ShadowedCache cache, int part, Sampling sampling) {
    List<Resident> residents = new ArrayList<>();
    cache.residents(
        part,
        (key, blocks, facts, tick) -> {
          if (Sampling.place(key, sampling.salt()) < sampling.threshold()) {
            residents.add(new Resident(key, blocks, facts, tick));
          }
        });
    residents.sort(Comparator.comparingLong(Resident::tick));
    AccessBatch batch = new AccessBatch(part, Math.max(1, residents.size()));
    long now = cache.clock().nanos();
    residents.forEach(each -> batch.add(Kind.RESIDENT, each.key, each.blocks, now, each.facts));
    return batch;
  }
}
