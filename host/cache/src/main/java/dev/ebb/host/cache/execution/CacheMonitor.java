package dev.ebb.host.cache.execution;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The monitor of a cache whose policy runs on its own thread: the owner's lock and the two things
 * to wait for under it. Policy threads wait for work, the owner's threads wait for progress. No
 * other class waits or signals.
 */
public class CacheMonitor {

  private final ReentrantLock lock;
  private final Condition work;
  private final Condition progress;
  private int idlePolicies;

  public CacheMonitor(ReentrantLock lock) {
    this.lock = lock;
    work = lock.newCondition();
    progress = lock.newCondition();
  }

  public void lock() {
    lock.lock();
  }

  public void unlock() {
    lock.unlock();
  }

  public void signalWork() {
    work.signalAll();
  }

  /** Wakes the policy threads that wait without a time limit, if there are any. */
  public void signalIdlePolicies() {
    if (idlePolicies > 0) {
      work.signalAll();
    }
  }

  // The callers of all waits test their conditions again, in a loop.

  @SuppressWarnings("WaitNotInLoop")
  public void awaitWork() {
    idlePolicies++;
    work.awaitUninterruptibly();
    idlePolicies--;
  }

  /** Waits for work. Returns whether the whole time passed. */
  public boolean awaitWork(long nanos) {
    return await(work, nanos);
  }

  /** Wakes the threads that wait for a policy or for space. */
  public void signalProgress() {
    progress.signalAll();
  }

  @SuppressWarnings("WaitNotInLoop")
  public void awaitProgress() {
    progress.awaitUninterruptibly();
  }

  /** Waits for progress. Returns whether the whole time passed. */
  public boolean awaitProgress(long nanos) {
    return await(progress, nanos);
  }

  /** Waits for a time that an interrupt does not shorten. */
  @SuppressWarnings("WaitNotInLoop")
  private static boolean await(Condition condition, long nanos) {
    boolean interrupted = false;
    long left = nanos;
    try {
      while (true) {
        try {
          left = condition.awaitNanos(left);
          return left <= 0;
        } catch (InterruptedException wasInterrupted) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
