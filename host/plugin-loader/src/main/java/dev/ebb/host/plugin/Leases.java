package dev.ebb.host.plugin;

import java.util.ArrayList;
import java.util.List;

/** Uses that end together: those of a strategy and of the predictors it was given. */
public final class Leases implements AutoCloseable {

  private final List<Lease> open = new ArrayList<>();
  private boolean closed;

  /** None yet. */
  public Leases() {}

  /**
   * Adds a use.
   *
   * @param lease ends with the others; at once if those have ended
   */
  public synchronized void add(Lease lease) {
    if (closed) {
      lease.close();
    } else {
      open.add(lease);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    open.forEach(Lease::close);
    open.clear();
  }
}
