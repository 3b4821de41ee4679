package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.simulation.PromptStarts;
import dev.ebb.host.cache.simulation.Resident;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Collects the resident entries from which a shadow policy starts. */
final class Seeds {

  private final Sampling sampling;
  private final PromptStarts starts;
  private final Map<Long, Resident> residents = new HashMap<>();

  /** The keys that identify the prompts of chunks, by the chunk's key. */
  private final Map<Long, Long> identities = new HashMap<>();

  /** Chunks that are in each sample. */
  private final Set<Long> shared = new HashSet<>();

  /**
   * Collects the sampled residents of a partition.
   *
   * @param starts identifies its prompts of hybrid models; guarded by its lock
   */
  Seeds(PolicyPlace place, Sampling sampling, PromptStarts starts) {
    this.sampling = sampling;
    this.starts = starts;
    place.residents(this::add);
  }

  private void add(CacheEntry entry) {
    if (entry.parts() == null) {
      addBlock(entry);
    } else {
      addChunk(entry);
    }
  }

  private void addBlock(CacheEntry entry) {
    if (sampling.isIn(entry.fingerprint())) {
      CacheEntry before = entry.parent();
      while (before != null && !sampling.isIn(before.fingerprint())) {
        before = before.parent();
      }
      residents.put(entry.fingerprint(), Resident.of(entry, before));
    }
  }

  private void addChunk(CacheEntry entry) {
    long key = entry.fingerprint();
    long identity = starts.identity(entry);
    if (starts.isShared(key)) {
      shared.add(key);
    }
    if (sampling.isIn(identity) || shared.contains(key)) {
      residents.put(key, Resident.of(entry, entry.parent()));
      identities.put(key, identity);
    }
  }

  Map<Long, Resident> residents() {
    return residents;
  }

  boolean isOfGroup(Resident resident, int group) {
    return shared.contains(resident.key())
        || sampling.group(identities.getOrDefault(resident.key(), resident.key())) == group;
  }
}
