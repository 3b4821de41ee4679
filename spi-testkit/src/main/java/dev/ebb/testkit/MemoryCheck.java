package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.RemovalCause;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks that removed entries become garbage while the policy lives on. */
final class MemoryCheck {

  private static final int ENTRIES = 500;

  /** A policy may still hold a few in fields that the next calls overwrite. */
  private static final int TOLERATED = 8;

  private static final int COLLECTIONS = 10;

  private final BlockPolicyProvider provider;
  private final CheckSettings settings;

  MemoryCheck(BlockPolicyProvider provider, CheckSettings settings) {
    this.provider = provider;
    this.settings = settings;
  }

  String letsGo(long seed) {
    Scene scene = Scene.open(provider, settings, ENTRIES, seed);
    List<WeakReference<TestEntry>> removed = fillAndEmpty(scene);
    scene.insert(TOLERATED);
    long kept = ENTRIES;
    for (int i = 0; i < COLLECTIONS && kept > TOLERATED; i++) {
      System.gc();
      kept = removed.stream().filter(entry -> entry.get() != null).count();
    }
    if (kept > TOLERATED) {
      throw scene.referee.broken(
          Rule.GONE, "%d of %d removed entries are still in memory".formatted(kept, ENTRIES));
    }
    scene.drain();
    scene.referee.close();
    return "";
  }

  /** Removes entries for other reasons than capacity, and searches the policy for them. */
  String ghosts(long seed) {
    for (RemovalCause cause : RemovalCause.values()) {
      if (!cause.forCapacity()) {
        ghosts(cause, seed);
      }
    }
    return "";
  }

  private void ghosts(RemovalCause cause, long seed) {
    Scene scene = Scene.open(provider, settings, ENTRIES, seed);
    List<Held> removed = scene.insert(ENTRIES / 2);
    scene.some(ENTRIES / 4).forEach(scene.referee::access);
    Set<Long> fingerprints =
        removed.stream().map(one -> one.entry.fingerprint()).collect(Collectors.toSet());
    removed.forEach(one -> scene.referee.remove(one, cause));
    // These take the places of those removed, in arrays for example.
    scene.insert(ENTRIES / 2);
    int kept = scene.referee.search(fingerprints).size();
    if (kept > TOLERATED) {
      throw scene.referee.broken(
          Rule.GHOSTS,
          "%d of %d fingerprints are kept of entries removed as %s"
              .formatted(kept, removed.size(), cause));
    }
    scene.drain();
    scene.referee.close();
  }

  // In a method of its own, so that no local variable keeps an entry alive.
  private static List<WeakReference<TestEntry>> fillAndEmpty(Scene scene) {
    List<WeakReference<TestEntry>> removed = new ArrayList<>();
    scene.insert(ENTRIES).forEach(one -> removed.add(new WeakReference<>(one.entry)));
    scene.some(ENTRIES / 2).forEach(scene.referee::access);
    scene.some(ENTRIES / 4).forEach(one -> scene.referee.remove(one, RemovalCause.EXPIRED));
    scene.refuse(ENTRIES / 4).forEach(scene.referee::release);
    scene.drain();
    return removed;
  }
}
