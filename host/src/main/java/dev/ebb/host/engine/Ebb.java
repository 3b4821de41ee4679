package dev.ebb.host.engine;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.config.DefragConfig;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.pool.BackgroundCompaction;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.wiring.Host;
import dev.ebb.spi.BlockPolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ebb inside an inference engine's process: a KV pool, a prefix cache on it, and the eviction
 * policy that the configuration names. Safe for use by many threads.
 */
public final class Ebb implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Ebb.class);
  private static final String PARTITION = "default";
  private static final int SMALLEST_GHOST_WINDOW = 1_024;
  private static final int LARGEST_GHOST_WINDOW = 1 << 24;

  private final Opened opened;
  private final Engine engine;
  private final DefragConfig defrag;
  private final PoolView view;

  private Ebb(Opened opened, KvPool pool, BlockCache cache, EbbConfig config) {
    this.opened = opened;
    EvictionConfig eviction = config.eviction();
    engine = new Engine(pool, cache, eviction.threshold(), eviction.target());
    defrag = config.pool().defrag();
    view = new PoolView(engine, defrag.threshold());
    opened.add(
        BackgroundCompaction.start(
            pool,
            defrag.threshold(),
            defrag.interval(),
            () -> engine.movement.inBackground(defrag.threshold(), slice())));
  }

  /**
   * Starts with the device that the configuration names.
   *
   * @param options the model's layout, and where the configuration is
   * @return a running Ebb
   * @throws UserError with every mistake in the configuration
   * @throws DeviceException if the pool does not fit
   */
  public static Ebb start(EbbOptions options) {
    Opened opened = new Opened();
    try {
      Host host = host(options, opened);
      Device device = opened.add(Devices.open(host.config().pool().device()));
      return start(options, host, device, opened);
    } catch (Throwable failed) {
      opened.close();
      throw failed;
    }
  }

  /**
   * Starts on a device that the caller has opened, whatever {@code ebb.pool.device} says.
   *
   * @param options the model's layout, and where the configuration is
   * @param device where the pool is to be; it outlives this Ebb
   * @return a running Ebb
   * @throws UserError with every mistake in the configuration
   * @throws DeviceException if the pool does not fit
   */
  public static Ebb start(EbbOptions options, Device device) {
    Opened opened = new Opened();
    try {
      return start(options, host(options, opened), device, opened);
    } catch (Throwable failed) {
      opened.close();
      throw failed;
    }
  }

  private static Host host(EbbOptions options, Opened opened) {
    Host host = opened.add(Host.open(options.load()));
    host.verify();
    return host;
  }

  private static Ebb start(EbbOptions options, Host host, Device device, Opened opened) {
    EbbConfig config = host.config();
    long bytes = config.pool().size().bytesOf(device.memory().availableBytes());
    KvPool pool =
        opened.add(KvPool.open(options.layout(), device, bytes, config.pool().defrag().shortRun()));
    int pages = pool.blocks() / options.layout().laneGroups();
    if (pages == 0) {
      throw new DeviceException(
          "a pool of '%d' blocks has fewer than the '%d' lane groups; enlarge ebb.pool.size"
              .formatted(pool.blocks(), options.layout().laneGroups()));
    }
    GhostWindow ghosts =
        new GhostWindow(Math.clamp(pages, SMALLEST_GHOST_WINDOW, LARGEST_GHOST_WINDOW));
    BlockCache cache =
        new BlockCache(pages, System::nanoTime, ghosts, BlockCache.OnFault.FALL_BACK);
    String name = config.eviction().policy().name();
    BlockPolicy<?> policy = host.policies().create(name, pages, PARTITION, System::nanoTime, 1);
    // Whichever policy is in force at the end, this one came from a plugin and is closed as such.
    opened.add(() -> PluginCall.close(policy, "policy '" + name + "'"));
    cache.install(name, policy);
    LOG.info(
        "started device={} blocks={} block-bytes={} policy={}",
        device.name(),
        pool.blocks(),
        options.layout().blockBytes(),
        name);
    return new Ebb(opened, pool, cache, config);
  }

  /**
   * Opens a sequence: matches the longest cached prefix, keeps it from leaving, and makes room for
   * the rest of the prompt.
   *
   * @param request the prompt, and what is known of it
   * @return an open sequence
   * @throws OutOfBlocksException if there is no room
   */
  public Sequence open(SequenceRequest request) {
    return engine.open(request);
  }

  /**
   * To be called by an engine between two batches, while none of its kernels runs: moves blocks
   * together if the pool is fragmented, in one bounded slice. Blocks of sequences with an open
   * access stay; block tables of the others may change.
   *
   * @return what was done
   */
  public CompactionReport betweenBatches() {
    return engine.movement.betweenBatches(defrag.threshold(), slice());
  }

  /**
   * The pool, to look at and to tidy up.
   *
   * @return a view that is always up to date
   */
  public PoolView pool() {
    return view;
  }

  private long slice() {
    return Math.max(defrag.sliceBytes(), engine.layout().blockBytes());
  }

  /**
   * Aborts all sequences and frees the memory. Closing twice does nothing.
   *
   * @throws IllegalStateException if an access is open; nothing is closed then
   */
  @Override
  public void close() {
    if (engine.close()) {
      opened.close();
    }
  }
}
