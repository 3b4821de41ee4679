package dev.ebb.host.plugin;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Uses that end together: those of a strategy and of the predictors it was given. */
public final class Leases implements AutoCloseable {

  private final List<Lease> open = new ArrayList<>();
  private final Set<StrategyVersion> predictors = new LinkedHashSet<>();
  private boolean closed;

  /** Creates an empty set. */
  public Leases() {}

  /**
   * Adds a use.
   *
   * @param lease ends with the others; immediately if those have ended
   */
  public synchronized void add(Lease lease) {
    if (closed) {
      lease.close();
    } else {
      open.add(lease);
    }
  }

  /**
   * Notes that a strategy was given a predictor.
   *
   * @param version which code it is
   */
  public synchronized void predictor(StrategyVersion version) {
    predictors.add(version);
  }

  /**
   * Returns the predictors that the strategy was given, also after its end.
   *
   * @return which code they are
   */
  public synchronized Set<StrategyVersion> predictors() {
    return Set.copyOf(predictors);
  }

  @Override
  public synchronized void close() {
    closed = true;
    open.forEach(Lease::close);
    open.clear();
  }
}
