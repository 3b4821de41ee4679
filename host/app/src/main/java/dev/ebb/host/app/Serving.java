package dev.ebb.host.app;

import dev.ebb.host.admin.AdminApi;
import dev.ebb.host.admin.AdminServer;
import dev.ebb.host.admin.RuntimeConfig;
import dev.ebb.host.admin.ServerContext;
import dev.ebb.host.config.Addresses;
import dev.ebb.host.config.AdminChoice;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.OnFullChoice;
import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.config.ServerConfig;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.evictionlog.EvictionSource;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.resp.OnFull;
import dev.ebb.host.resp.RespOptions;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.rules.Rules;
import dev.ebb.host.shadow.ConfiguredPolicies;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.swap.FolderWatch;
import dev.ebb.host.swap.PluginReloads;
import dev.ebb.host.swap.PolicySwaps;
import dev.ebb.host.swap.SwapCause;
import dev.ebb.host.wiring.Closer;
import dev.ebb.host.wiring.Host;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A process that serves clients. */
public final class Serving implements AutoCloseable {

  private final Closer opened;
  private final ObjectStore store;
  private final RespServer server;
  private final @Nullable AdminServer admin;

  private Serving(
      Closer opened, ObjectStore store, RespServer server, @Nullable AdminServer admin) {
    this.opened = opened;
    this.store = store;
    this.server = server;
    this.admin = admin;
  }

  /**
   * Opens the pool, puts the policy in force and listens.
   *
   * @param host loaded and verified; outlives what is returned
   * @return a process that serves
   * @throws UserError if the pool does not fit, the policy does not exist, or the address cannot be
   *     listened on
   */
  public static Serving start(Host host) {
    EbbConfig config = host.config();
    refuseCuda(config);
    RespOptions options = options(config.server());
    HttpOptions adminOptions = AdminServer.options(config.admin(), "--admin-port");
    Closer opened = new Closer();
    try {
      return start(host, options, adminOptions, opened);
    } catch (RuntimeException failed) {
      opened.close();
      throw failed;
    }
  }

  private static Serving start(
      Host host, RespOptions options, HttpOptions adminOptions, Closer opened) {
    EbbConfig config = host.config();
    HostDevice device = opened.add(new HostDevice());
    ObjectStore store = opened.add(open(config, device));
    PolicySwaps swaps = opened.add(new PolicySwaps(host.pluginHost(), host.policies(), store));
    String policy = config.eviction().policy().name();
    swaps.swap(policy, SwapCause.START);
    EvictionSource evictions = new EvictionSource(store.evictionLog(), store.blockBytes());
    EvictionLogging logging = opened.add(new EvictionLogging(evictions));
    logging.apply(config);
    Shadows shadows =
        opened.add(
            new Shadows(
                store,
                new ConfiguredPolicies(host.pluginHost(), host.policies()),
                0,
                new SecureRandom().nextLong()));
    RuntimeChanges.apply(shadows, config);
    RespServer server = opened.add(RespServer.start(store, options));
    Rules rules =
        opened.add(Rules.start(swaps, store, device.memory(), policy, config.eviction().rules()));
    RuntimeConfig changeable = RuntimeChanges.of(host, store, swaps, rules, logging, shadows);
    PluginReloads reloads = new PluginReloads(host.pluginHost(), swaps, rules::wanted);
    if (config.plugins().reload()) {
      opened.add(watch(host, reloads, changeable));
    }
    AdminServer admin = null;
    if (config.admin().enabled() != AdminChoice.FALSE) {
      admin =
          opened.add(
              AdminServer.open(
                  adminOptions,
                  AdminApi.of(
                      new ServerContext(
                          host,
                          store,
                          server,
                          changeable,
                          evictions,
                          shadows,
                          swaps,
                          rules,
                          reloads))));
    }
    return new Serving(opened, store, server, admin);
  }

  private static FolderWatch watch(Host host, PluginReloads reloads, RuntimeConfig changeable) {
    return FolderWatch.start(
        host.config().plugins().folder(),
        host.tree().file(),
        host.config().plugins().rescan(),
        new FolderWatch.Actions(
            reloads::reload, changeable::follow, host.pluginHost()::keepsUnused));
  }

  /**
   * Where clients connect.
   *
   * @return the address, with the port in use
   */
  public InetSocketAddress address() {
    return server.address();
  }

  /**
   * Where operators connect.
   *
   * @return the address, with the port in use; null if there is no such door
   */
  public @Nullable InetSocketAddress adminAddress() {
    return admin == null ? null : admin.address();
  }

  /**
   * What operators can call.
   *
   * @return method and path of each call
   */
  public List<String> adminRoutes() {
    return admin == null ? List.of() : admin.routes();
  }

  /**
   * How large the pool is.
   *
   * @return bytes
   */
  public long poolBytes() {
    return store.stats().capacityBytes();
  }

  /**
   * The policy in force.
   *
   * @return its name
   */
  public String policy() {
    return store.stats().policy();
  }

  /**
   * Takes no more clients, and waits for those that are there. Operators are served on.
   *
   * @param grace how long
   */
  public void drain(Duration grace) {
    server.drain(grace);
  }

  @Override
  public void close() {
    // Operators can look on until the last client has gone.
    server.close();
    opened.close();
  }

  static void refuseCuda(EbbConfig config) {
    if (config.pool().device() == PoolDevice.CUDA) {
      throw new UserError(
          "ebb.pool.device = 'cuda': clients' values are held in host memory only; set it to auto"
              + " or host");
    }
  }

  static RespOptions options(ServerConfig settings) {
    InetAddress bind = Addresses.resolve(settings.bind());
    if (!bind.isLoopbackAddress() && settings.password() == null) {
      throw new UserError(
          "ebb.server.bind = '%s' is open to other machines, which needs a password; set ebb.server.password, or listen on 127.0.0.1"
              .formatted(settings.bind()));
    }
    return new RespOptions(
        new InetSocketAddress(bind, settings.port()),
        settings.password(),
        settings.maxValueBytes(),
        settings.onFull() == OnFullChoice.DROP ? OnFull.DROP : OnFull.ERROR,
        settings.threads());
  }

  static ObjectStore open(EbbConfig config, HostDevice device) {
    long bytes = config.pool().size().bytesOf(device.memory().availableBytes());
    EvictionConfig eviction = config.eviction();
    StoreOptions options =
        new StoreOptions(
                PoolParts.of(bytes, config.tenants()),
                eviction.ttl(),
                eviction.pinBudget(),
                new SecureRandom().nextLong())
            .threaded(RuntimeChanges.limits(eviction), eviction.logSize())
            .heap(Runtime.getRuntime().maxMemory());
    try {
      return new ObjectStore(device, options, TimeSource.SYSTEM);
    } catch (DeviceException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }
}
