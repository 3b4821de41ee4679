package dev.ebb.host.engine;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;

/** An engine over a small pool of real host memory, with the host's own eviction order. */
final class TestEngine implements AutoCloseable {

  static final int BLOCK_TOKENS = 4;
  static final Namespace MODEL = Namespace.of("tiny");

  final KvPool pool;
  final BlockCache cache;
  final Engine engine = new Engine();
  final DevicePartition partition;
  private final HostDevice device = new HostDevice();

  /** A pool of so many blocks; eviction on demand only. */
  TestEngine(int blocks) {
    this(blocks, 1, 1, 1);
  }

  TestEngine(int blocks, int laneGroups, double threshold, double target) {
    this(blocks, LaneWindows.none(laneGroups), threshold, target);
  }

  TestEngine(int blocks, LaneWindows windows, double threshold, double target) {
    int laneGroups = windows.groups();
    KvLayout layout = new KvLayout(2, 2, 3, BLOCK_TOKENS, DType.FP32, laneGroups);
    pool = KvPool.open(layout, device, (long) blocks * layout.blockBytes());
    cache =
        new InlineBlockCache(
            blocks / windows.unit(), System::nanoTime, new GhostWindow(64), OnFault.FALL_BACK);
    partition = engine.add(pool, cache, threshold, target);
    if (!windows.areFull()) {
      partition.keepWindows(windows);
    }
  }

  int blockBytes() {
    return pool.layout().blockBytes();
  }

  Sequence open(int... tokens) {
    return engine.open(SequenceRequest.of(MODEL, tokens));
  }

  Sequence openWith(int priority, int... tokens) {
    return engine.open(SequenceRequest.of(MODEL, tokens).withPriority(priority));
  }

  PoolReport report() {
    return engine.locked(() -> Inspection.report(engine, partition));
  }

  PoolMap map() {
    return engine.locked(() -> Inspection.map(engine, partition));
  }

  @Override
  public void close() {
    engine.close();
    pool.close();
    device.close();
  }
}
