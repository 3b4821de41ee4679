package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashSet;
import java.util.Set;

/** Class loaders of closed plugins, which must not stay in memory. */
public final class CollectedLoaders {

  private static final long DEADLINE_NANOS = 30_000_000_000L;

  private final ReferenceQueue<ClassLoader> queue = new ReferenceQueue<>();
  private final Set<Reference<ClassLoader>> open = new HashSet<>();

  /** Adds the class loader of an object of a plugin. */
  public void add(Object of) {
    open.add(new PhantomReference<>(of.getClass().getClassLoader(), queue));
  }

  public void assertNoneCollected() {
    assertThat(queue.poll()).isNull();
  }

  public void assertAllCollected() throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!open.isEmpty() && System.nanoTime() < deadline) {
      System.gc();
      Reference<? extends ClassLoader> cleared = queue.remove(50);
      while (cleared != null) {
        open.remove(cleared);
        cleared = queue.poll();
      }
    }
    assertThat(open).as("class loaders still in memory").isEmpty();
  }
}
