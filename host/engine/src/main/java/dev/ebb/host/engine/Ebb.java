package dev.ebb.host.engine;

import com.google.inject.Inject;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.config.DefragConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.server.AdminConfig.AdminChoice;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import dev.ebb.host.engine.sequence.Inspection;
import dev.ebb.host.engine.sequence.PageExchange;
import dev.ebb.host.engine.sequence.ScheduledSequence;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.sequence.SequenceFile;
import dev.ebb.host.engine.sequence.SequenceMemory;
import dev.ebb.host.engine.sequence.SequenceMigration;
import dev.ebb.host.engine.sequence.TokenPruner;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.pool.BackgroundCompaction;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.runtime.RuntimeModule;
import dev.ebb.host.runtime.SiteConfigAppliers;
import dev.ebb.host.wiring.Host;
import dev.ebb.spi.PreemptionPolicy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ebb inside an inference engine's process: on each device a KV pool, a prefix cache on it, and the
 * configured eviction policy. Thread-safe.
 */
public final class Ebb implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Ebb.class);
  static final int SMALLEST_GHOST_WINDOW = 1_024;

  private final Closer opened;
  final Engine engine;
  private final DefragConfig defrag;
  private final @Nullable TokenPruner tokens;
  private final @Nullable PolicyRuntime policies;
  private final EngineView view;
  private @Nullable InetSocketAddress adminAddress;

  /** Applies changes of the configuration outside the block policy. */
  private SiteConfigAppliers settings = new SiteConfigAppliers(Map.of(), () -> {});

  Ebb(
      Closer opened,
      Engine engine,
      DefragConfig defrag,
      @Nullable TokenPruner tokens,
      @Nullable PolicyRuntime policies) {
    this.policies = policies;
    this.opened = opened;
    this.engine = engine;
    this.defrag = defrag;
    this.tokens = tokens;
    view = new EngineView(engine);
    for (DevicePartition partition : engine.partitions) {
      opened.add(
          new BackgroundCompaction(
              partition.pool,
              defrag.threshold(),
              defrag.interval(),
              () -> partition.movement.inBackground(defrag.threshold(), slice())));
    }
  }

  /**
   * Starts on the configured devices.
   *
   * @throws UserError with every mistake in the configuration
   * @throws DeviceException if a pool does not fit
   */
  public static Ebb start(EbbOptions options) {
    return start(options, List.of());
  }

  /**
   * Starts on devices that the caller has opened, whatever {@code ebb.pool.device}.
   *
   * @param devices the pools' devices, at least one, of different names; they outlive this Ebb
   * @throws UserError with every mistake in the configuration
   * @throws DeviceException if a pool does not fit
   */
  public static Ebb start(EbbOptions options, Device... devices) {
    List<Device> all = List.of(devices);
    if (all.isEmpty() || all.stream().map(Device::name).distinct().count() < all.size()) {
      throw new IllegalArgumentException(
          "devices '%s' must be one or more, of different names"
              .formatted(all.stream().map(Device::name).toList()));
    }
    return start(options, all);
  }

  private static Ebb start(EbbOptions options, List<Device> devices) {
    Closer opened = new Closer();
    try {
      Host host = opened.add(Host.open(options.load()));
      host.verify();
      boolean operated = host.config().admin().enabled() == AdminChoice.TRUE;
      EngineAdmin admin = operated ? admin() : null;
      Ebb ebb =
          host.wire(
              Ebb.class,
              opened,
              new PoolModule(options, devices),
              new EngineModule(options, null),
              new RuntimeModule());
      if (admin != null) {
        ebb.adminAddress = opened.add(admin).start(ebb, host);
        LOG.info("admin API address={}", ebb.adminAddress);
      }
      return ebb;
    } catch (Throwable failed) {
      opened.close();
      throw failed;
    }
  }

  /**
   * Starts beside another cache of the process, such as that of a server, whose policy runtime
   * switches the policy of this one too.
   *
   * @param pool an empty pool of this layout, which is closed with this Ebb
   * @param host the process; outlives this Ebb
   * @param policies the runtime of the other cache; outlives this Ebb
   * @param tokens the configuration of token policies, which may have changed since the start
   * @param disk the files of the disk tier, which outlive this Ebb; null if there are none
   * @param pages receives which pages are cached
   * @throws UserError if the policy cannot be activated, or the token policy needs data that the
   *     engine does not provide
   */
  public static Ebb beside(
      EbbOptions options,
      KvPool pool,
      Host host,
      PolicyRuntime policies,
      TokensConfig tokens,
      @Nullable TierFiles disk,
      PageListener pages) {
    Closer opened = new Closer();
    opened.add(pool);
    Module existing =
        binder -> {
          binder.bind(new TypeLiteral<List<KvPool>>() {}).toInstance(List.of(pool));
          binder.bind(PolicyRuntime.class).toInstance(policies);
          binder.bind(Parts.class);
        };
    Parts parts =
        host.wire(
            Parts.class,
            opened,
            existing,
            new EngineModule(
                options,
                new EngineModule.Beside(tokens, policies.site().evictionLog(), disk, pages)));
    parts.ebb.settings = parts.settings;
    try {
      policies.join(parts.site);
      opened.add(() -> policies.leave(parts.site));
      return parts.ebb;
    } catch (RuntimeException refused) {
      parts.ebb.close();
      throw refused;
    }
  }

  /** The parts of an engine whose policy another runtime switches. */
  private record Parts(Ebb ebb, PolicySite site, SiteConfigAppliers settings) {
    @Inject
    Parts {}
  }

  /**
   * Starts in the host's memory without configuration, plugins and admin API, for short work such
   * as a trial. A full pool refuses.
   *
   * @throws DeviceException if the pool does not fit
   */
  public static Ebb bare(KvLayout layout, long bytes) {
    Closer opened = new Closer();
    try {
      KvPool pool = opened.add(KvPool.open(layout, opened.add(new HostDevice()), bytes));
      Engine engine = new Engine();
      int pages = pool.blocks() / layout.laneGroups();
      GhostWindow ghosts = new GhostWindow(SMALLEST_GHOST_WINDOW);
      engine.add(
          pool, new InlineBlockCache(pages, System::nanoTime, ghosts, OnFault.FALL_BACK), 1, 1);
      return new Ebb(opened, engine, new DefragConfig(1, Duration.ofDays(1), 1, 1), null, null);
    } catch (Throwable failed) {
      opened.close();
      throw failed;
    }
  }

  private static EngineAdmin admin() {
    return ServiceLoader.load(EngineAdmin.class, Ebb.class.getClassLoader())
        .findFirst()
        .orElseThrow(() ->
            new UserError(
                "ebb.admin.enabled 'true' needs the artifact ebb-admin, which is not on the class"
                    + " path; add it, or set ebb.admin.enabled to 'auto' or 'false'"));
  }

  /**
   * Opens a sequence: matches the longest cached prefix, pins it, and makes room for the rest of
   * the prompt.
   *
   * @throws OutOfBlocksException if there is no room
   */
  public Sequence open(SequenceRequest request) {
    return engine.open(request);
  }

  /**
   * Opens a preempted sequence again. If its K and V were stored on {@code
   * ebb.pool.offload.server}, they are read back; {@link Sequence#matchedTokens} includes them. The
   * engine computes the other tokens.
   *
   * @param request its tokens so far, prompt and answer, in the same namespace
   * @throws OutOfBlocksException if there is no room; the same call may be made again
   * @throws IllegalStateException if the sequence is not preempted
   * @throws IllegalArgumentException if the request has other tokens
   */
  public Sequence resume(Sequence preempted, SequenceRequest request) {
    return engine.resume(preempted, request);
  }

  /**
   * Opens a sequence whose K and V come from a segment. Pages of a cached prefix are shared as by
   * {@link #open}. The sequence can be read, appended to and finished like any other.
   *
   * @param request the tokens that the segment was saved with, and their attributes. The namespace
   *     must be that of the same model, which the segment does not name
   * @param file a file that {@link Sequence#save} has written, from blocks of any size
   * @throws IOException if it cannot be read
   * @throws UserError if it is damaged, or has another shape or number of tokens. No sequence stays
   *     open then
   * @throws OutOfBlocksException if there is no room
   */
  public Sequence load(SequenceRequest request, Path file) throws IOException {
    engine.requireKvOnly("loaded from a segment");
    return SequenceFile.load(engine, request, file);
  }

  /**
   * Starts to move a sequence to another device, which makes room for it like for a new one,
   * without waiting. Nothing is copied yet.
   *
   * @param checksum whether each copy is read back and compared
   * @throws UserError if there is no such device, or the sequence is there already
   * @throws DeviceException if the device is lost
   * @throws OutOfBlocksException if the device has no room for it
   * @throws IllegalStateException if an access is open, or a migration is active
   */
  public SequenceMigration migrate(Sequence sequence, String device, boolean checksum) {
    return engine.migrations.start(sequence, device, checksum);
  }

  /**
   * Starts to move a cached prefix to another device: its longest part that is cached on another
   * device. Pages that open sequences use there, or that other prefixes continue, stay there too.
   *
   * @param checksum whether each copy is read back and compared
   * @throws UserError if there is no such device, or nothing to move
   * @throws DeviceException if the device is lost
   * @throws OutOfBlocksException if the device has no room for it
   */
  public SequenceMigration migratePrefix(
      Namespace namespace, int[] tokens, String device, boolean checksum) {
    return engine.migrations.startPrefix(namespace, tokens, device, checksum);
  }

  /**
   * Returns what copies pages of cached prefixes out and in.
   *
   * @param own copies pages of an engine whose pool has no bytes; null for those of the pool
   * @return null if the pages of this engine cannot be copied
   */
  public @Nullable PageExchange pages(@Nullable PageBytes own) {
    return PageExchange.of(engine, own);
  }

  /**
   * Compacts each fragmented pool, in one bounded slice. An engine calls this between two batches,
   * while none of its kernels runs. Blocks of sequences with an open access stay; block tables of
   * the others may change.
   */
  public List<CompactionReport> betweenBatches() {
    engine.exclusively(engine::checkOpen);
    return engine.partitions.stream()
        .map(partition -> partition.movement.betweenBatches(defrag.threshold(), slice()))
        .toList();
  }

  /**
   * Returns the memory for a scheduler. No other sequences of higher priority should be opened:
   * they would preempt those of the scheduler.
   */
  public <P extends ScheduledSequence> SequenceMemory<P> memory() {
    return new SequenceMemory<>(engine);
  }

  /**
   * Returns the pruner of sequences, to be called after each step of a generation loop; configured
   * by {@code ebb.tokens}.
   *
   * @throws IllegalStateException if this Ebb was started {@link #bare}
   */
  public TokenPruner tokens() {
    TokenPruner manager = tokens;
    if (manager == null) {
      throw new IllegalStateException("an Ebb without configuration has no token policy");
    }
    return manager;
  }

  /**
   * Returns the policy runtime: switches, their history, rules, shadows, the live configuration,
   * and the plugins.
   *
   * @throws IllegalStateException if this Ebb was started {@link #bare}
   */
  public PolicyRuntime policies() {
    PolicyRuntime runtime = policies;
    if (runtime == null) {
      throw new IllegalStateException("an Ebb without configuration has no policies to switch");
    }
    return runtime;
  }

  /**
   * Makes an instance of the preemption policy {@code ebb.scheduler.preemption}, for a scheduler.
   * It lives until this Ebb is closed.
   *
   * @throws UserError if no plugin offers it any more
   */
  public PreemptionPolicy preemptionPolicy() {
    return engine.locked(() -> engine.preemptionPolicies.get());
  }

  /**
   * Returns what applies changes of the configuration, if another runtime follows it: see {@link
   * #beside}.
   */
  public SiteConfigAppliers settings() {
    return settings;
  }

  /** Returns a live view of the pool on the first device. */
  public PoolView pool() {
    return view.pools().getFirst();
  }

  /** Returns a live view of all pools and the migrations between them. */
  public EngineView view() {
    return view;
  }

  public boolean isOpen() {
    return engine.isOpen();
  }

  /** Returns all counters of this Ebb. */
  public EngineStats stats() {
    return Inspection.stats(engine);
  }

  /** Returns the address of the admin API, with the port in use; null if there is none. */
  public @Nullable InetSocketAddress adminAddress() {
    return adminAddress;
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
