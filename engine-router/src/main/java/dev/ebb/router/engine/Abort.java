package dev.ebb.router.engine;

/** Ends something early, whatever step it is in. */
public final class Abort implements Runnable {

  private Runnable step = () -> {};
  private boolean aborted;

  /** Creates one that has not run. */
  public Abort() {}

  /** Sets what ends the current step, and runs it if it is late. */
  public void ends(Runnable current) {
    synchronized (this) {
      step = current;
      if (!aborted) {
        return;
      }
    }
    current.run();
  }

  /** Returns whether it has run. */
  public synchronized boolean aborted() {
    return aborted;
  }

  @Override
  public void run() {
    Runnable current;
    synchronized (this) {
      aborted = true;
      current = step;
    }
    current.run();
  }
}
