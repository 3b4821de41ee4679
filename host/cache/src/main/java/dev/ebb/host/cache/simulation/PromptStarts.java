package dev.ebb.host.cache.simulation;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.spi.Request;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Identifies prompts for a sample of whole chains. A prompt is identified by its first chunk that
 * few prompts share: all prompts that go on from each other have the same one, and a long system
 * prompt is not the only one that is sampled, or the only one that is not.
 *
 * <p>A chunk is shared if one prompt in {@value #SHARE} has it. They are counted from time to time,
 * always twice as many prompts as before. Guarded by the lock of the prompts.
 */
public final class PromptStarts {

  private static final int SHARE = 16;

  /** The prompts that are counted at first. */
  private static final int FIRST = 256;

  /** Chunks of a prompt that are counted, from its first one that is not shared. */
  private static final int LOOK = 32;

  private static final int MOST_COUNTED = 1 << 15;

  private final Set<Long> shared = new HashSet<>();
  private final Map<Long, Integer> counts = new HashMap<>();
  private int prompts;
  private int until = FIRST;
  private int changes;

  /** Counts a prompt. */
  public void saw(Request prompt) {
    int from = first(prompt);
    int end = Math.min(prompt.blocks(), from + LOOK);
    for (int i = from; i < end; i++) {
      long key = prompt.fingerprint(i);
      if (counts.size() < MOST_COUNTED || counts.containsKey(key)) {
        counts.merge(key, 1, Integer::sum);
      }
    }
    prompts++;
    if (prompts == until) {
      decide();
    }
  }

  private void decide() {
    int before = shared.size();
    counts.forEach((key, count) -> {
      if (count >= prompts / SHARE) {
        shared.add(key);
      }
    });
    changes += shared.size() > before ? 1 : 0;
    counts.clear();
    prompts = 0;
    until = Math.min(Integer.MAX_VALUE / 2, 2 * until);
  }

  public int changes() {
    return changes;
  }

  /** Returns the key of the chunk that identifies a prompt of at least one chunk. */
  public long identity(Request prompt) {
    return prompt.fingerprint(first(prompt));
  }

  private int first(Request prompt) {
    int first = 0;
    while (first < prompt.blocks() - 1 && shared.contains(prompt.fingerprint(first))) {
      first++;
    }
    return first;
  }

  /** Returns whether many prompts have a chunk: it belongs to each sample. */
  public boolean isShared(long key) {
    return shared.contains(key);
  }

  public int sharedChunks() {
    return shared.size();
  }

  /** Returns the key of the chunk that identifies the prompts of a resident one. */
  public long identity(CacheEntry chunk) {
    long identity = chunk.fingerprint();
    for (CacheEntry on = chunk; on != null && !isShared(on.fingerprint()); on = on.parent()) {
      identity = on.fingerprint();
    }
    return identity;
  }
}
