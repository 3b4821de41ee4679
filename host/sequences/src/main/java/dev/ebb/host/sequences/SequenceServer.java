package dev.ebb.host.sequences;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.FileRange;
import dev.ebb.host.device.Slab;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.resp.SequenceService;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sequences of engines in other processes. Their memory is reserved at the start; its blocks have
 * the shape of the model that the connected clients state. Thread-safe.
 */
public final class SequenceServer implements SequenceService, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SequenceServer.class);

  final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Host host;
  private final PolicyRuntime policies;
  private final SequenceSettings settings;
  private final @Nullable TierFiles disk;
  private final PageListener pages;
  private final Slab slab;
  private final Set<SequenceClient> clients = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Running running;

  /** The engine, and the model of its clients. */
  private record Running(EngineModel model, Ebb ebb) {}

  /**
   * Reserves the memory.
   *
   * @param device memory that clients map, or open by CUDA IPC
   * @param disk the files of the disk tier, which outlive this server; null if there are none
   * @param pages receives which pages are cached
   * @throws UserError if it does not fit
   */
  SequenceServer(
      Host host,
      Device device,
      PolicyRuntime policies,
      SequenceSettings settings,
      @Nullable TierFiles disk,
      PageListener pages) {
    this.disk = disk;
    this.pages = pages;
    this.host = host;
    this.policies = policies;
    this.settings = settings;
    try {
      slab = device.reserve(host.config().server().sequencesBytes());
    } catch (DeviceException refused) {
      throw refused(host.config().server().sequencesBytes(), refused);
    }
  }

  /** Returns a refusal to reserve memory of a device, which names the key of a pool. */
  private static UserError refused(long bytes, DeviceException refused) {
    return new UserError(
        "%s = '%s': %s"
            .formatted(
                ServerConfig.SEQUENCES,
                ByteSize.exact(bytes),
                String.valueOf(refused.getMessage())
                    .replace("ebb.pool.size", ServerConfig.SEQUENCES.toString())));
  }

  /**
   * Checks a configuration without keeping its memory.
   *
   * @throws UserError if the memory does not fit
   */
  public static void check(EbbConfig config, Device device) {
    long bytes = config.server().sequencesBytes();
    if (bytes > 0) {
      try {
        device.reserve(bytes).close();
      } catch (DeviceException refused) {
        throw refused(bytes, refused);
      }
    }
  }

  @Override
  public Client connect() {
    SequenceClient client = new SequenceClient(this, host.config().scheduler().priorities());
    clients.add(client);
    return client;
  }

  @Override
  public CompletionStage<Boolean> clear() {
    Ebb now = ebb();
    if (now == null) {
      return CompletableFuture.completedStage(true);
    }
    return CompletableFuture.runAsync(now.view().blocks()::clear, threads)
        .handle((_, failed) -> {
          if (failed != null) {
            LOG.warn("cached sequences not removed", failed);
          }
          return failed == null;
        });
  }

  void left(SequenceClient client) {
    clients.remove(client);
  }

  /** Returns the engine; null before the first client has stated its model. */
  public @Nullable Ebb ebb() {
    Running now = running;
    return now == null ? null : now.ebb;
  }

  /** Returns the engine for a model. The model of clients that are connected cannot be replaced. */
  synchronized Ebb open(EngineModel stated) throws CommandException {
    Running now = running;
    if (now != null && !now.model.equals(stated)) {
      if (clients.stream().anyMatch(SequenceClient::hasModel)) {
        throw new CommandException(
            "ERR other clients use blocks for '%s', not for '%s'; state the same, or wait until they have disconnected"
                .formatted(now.model, stated));
      }
      running = null;
      now.ebb.close();
      now = null;
    }
    if (now == null) {
      now = new Running(stated, start(stated));
      running = now;
    }
    return now.ebb;
  }

  private Ebb start(EngineModel stated) throws CommandException {
    TokensConfig tokens = settings.tokens();
    EbbOptions options =
        EbbOptions.of(stated.layout(), Path.of("")).withObservations(stated.observations());
    try {
      Ebb ebb =
          Ebb.beside(
              options, KvPool.in(stated.layout(), slab), host, policies, tokens, disk, pages);
      try {
        settings.opened(ebb);
      } catch (UserError refused) {
        ebb.close();
        throw refused;
      }
      LOG.info(
          "sequences opened model=\"{}\" blocks={} token-policy={}",
          stated,
          slab.bytes() / stated.layout().blockBytes(),
          tokens.policy().name());
      return ebb;
    } catch (UserError refused) {
      throw new CommandException("ERR " + String.join("; ", refused.messages()));
    } catch (DeviceException refused) {
      throw new CommandException("ERR " + refused.getMessage());
    }
  }

  /**
   * Returns the file and the offset of the first block, or the GPU and the handle of its memory;
   * then the size of a block, and the number of blocks.
   *
   * @throws DeviceException if the driver does not export the memory
   */
  List<Object> memory() {
    long blockBytes = requireNonNull(running).model.layout().blockBytes();
    Optional<FileRange> file = slab.shared();
    return file.isPresent()
        ? List.of(file.get().file().toString(), file.get().offset(), blockBytes, blocks())
        : List.of(slab.device().name(), slab.ipcHandle().orElseThrow(), blockBytes, blocks());
  }

  /** Returns the number of blocks of the model's shape. */
  long blocks() {
    return slab.bytes() / requireNonNull(running).model.layout().blockBytes();
  }

  /** Aborts all sequences and frees the memory. */
  @Override
  public void close() {
    // Not under the lock: a client that states its model waits for it.
    clients.forEach(SequenceClient::abortAll);
    threads.close();
    Running now = running;
    if (now != null) {
      now.ebb.close();
    }
    slab.close();
  }
}
