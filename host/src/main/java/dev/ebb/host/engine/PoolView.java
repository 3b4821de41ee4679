package dev.ebb.host.engine;

import dev.ebb.host.device.Device;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.KvLayout;

/** The pool under an {@link Ebb}, to look at and to tidy up. */
public final class PoolView {

  private final Engine engine;
  private final double threshold;

  PoolView(Engine engine, double threshold) {
    this.engine = engine;
    this.threshold = threshold;
  }

  /**
   * The shape of a block.
   *
   * @return the layout
   */
  public KvLayout layout() {
    return engine.layout();
  }

  /**
   * Where the pool is.
   *
   * @return the device
   */
  public Device device() {
    return engine.pool.device();
  }

  /**
   * What holds the memory.
   *
   * @return as of now
   */
  public PoolReport report() {
    return engine.locked(() -> Inspection.report(engine));
  }

  /**
   * What each block is used for.
   *
   * @return as of now
   */
  public PoolMap map() {
    return engine.locked(() -> Inspection.map(engine));
  }

  /**
   * Compacts the pool by hand, in one slice that moves only what no open sequence has.
   *
   * @param maxBytes stops before more bytes than these are moved
   * @return what was done
   */
  public CompactionReport defrag(long maxBytes) {
    return engine.movement.inBackground(threshold, maxBytes);
  }
}
