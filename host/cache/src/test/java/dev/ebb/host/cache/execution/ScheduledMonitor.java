package dev.ebb.host.cache.execution;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A cache's monitor whose threads take turns: entering, leaving and waiting are scheduling points.
 * No deadline passes; a batch that is not full may be handed over at any time.
 */
public final class ScheduledMonitor extends CacheMonitor {

  private final Interleavings.Run run;
  private final Set<Thread> waitingForWork = new HashSet<>();
  private final Set<Thread> waitingForProgress = new HashSet<>();
  private @Nullable Thread owner;
  private int depth;

  public ScheduledMonitor(Interleavings.Run run) {
    super(new ReentrantLock());
    this.run = run;
  }

  @Override
  public void lock() {
    if (owner != Thread.currentThread()) {
      run.point(() -> owner == null);
      owner = Thread.currentThread();
    }
    depth++;
  }

  @Override
  public void unlock() {
    if (--depth == 0) {
      owner = null;
      run.point(() -> true);
    }
  }

  @Override
  public void signalWork() {
    waitingForWork.clear();
  }

  @Override
  public void signalIdlePolicies() {
    waitingForWork.clear();
  }

  @Override
  public void signalProgress() {
    waitingForProgress.clear();
  }

  @Override
  public void awaitWork() {
    await(waitingForWork, false);
  }

  @Override
  public boolean awaitWork(long nanos) {
    return await(waitingForWork, true);
  }

  @Override
  public void awaitProgress() {
    await(waitingForProgress, false);
  }

  @Override
  public boolean awaitProgress(long nanos) {
    return await(waitingForProgress, false);
  }

  private boolean await(Set<Thread> waiting, boolean timed) {
    Thread me = Thread.currentThread();
    int held = depth;
    waiting.add(me);
    owner = null;
    depth = 0;
    run.point(() -> owner == null && (timed || !waiting.contains(me)));
    owner = me;
    depth = held;
    return waiting.remove(me);
  }
}
