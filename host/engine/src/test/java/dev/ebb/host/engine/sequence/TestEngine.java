package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.pool.LaneWindows;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;

/** An engine over a small pool of real host memory, with the host's own eviction order. */
public final class TestEngine implements AutoCloseable {

  static final int BLOCK_TOKENS = 4;
  public static final Namespace MODEL = Namespace.of("tiny");

  final KvPool pool;
  final BlockCache cache;
  public final Engine engine = new Engine();
  final DevicePartition partition;
  private final HostDevice device = new HostDevice();

  /** A pool of so many blocks; eviction on demand only. */
  public TestEngine(int blocks) {
    this(blocks, 1, 1, 1);
  }

  public TestEngine(int blocks, int laneGroups, double threshold, double target) {
    this(blocks, LaneWindows.none(laneGroups), threshold, target);
  }

  public TestEngine(int blocks, LaneWindows windows, double threshold, double target) {
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

  public Sequence open(int... tokens) {
    return engine.open(SequenceRequest.of(MODEL, tokens));
  }

  public Sequence openWith(int priority, int... tokens) {
    return engine.open(SequenceRequest.of(MODEL, tokens).withPriority(priority));
  }

  public PoolReport report() {
    return engine.locked(() -> Inspection.report(engine, partition));
  }

  public PoolMap map() {
    return engine.locked(() -> Inspection.map(engine, partition));
  }

  @Override
  public void close() {
    engine.close();
    pool.close();
    device.close();
  }
}
