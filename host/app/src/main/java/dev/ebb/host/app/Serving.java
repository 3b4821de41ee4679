package dev.ebb.host.app;

import dev.ebb.host.admin.AdminApi;
import dev.ebb.host.admin.AdminServer;
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
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.resp.OnFull;
import dev.ebb.host.resp.RespOptions;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.wiring.Closer;
import dev.ebb.host.wiring.Host;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
   * Opens the pool, activates the policy and listens.
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
    PolicyRuntime runtime =
        opened.add(
            PolicyRuntime.start(
                host,
                store,
                device.memory(),
                Map.of(
                    "ebb.eviction.ttl",
                    (changed, cause) -> store.idle(changed.eviction().ttl()),
                    "ebb.eviction.pin-budget",
                    (changed, cause) -> store.pinBudget(changed.eviction().pinBudget())),
                () -> {}));
    RespServer server = opened.add(RespServer.start(store, options));
    AdminServer admin = null;
    if (config.admin().enabled() != AdminChoice.FALSE) {
      admin =
          opened.add(
              AdminServer.open(
                  adminOptions, AdminApi.of(new ServerContext(host, store, server, runtime))));
    }
    return new Serving(opened, store, server, admin);
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
   * @return the address, with the port in use; null if there is no such server
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
   * The active policy.
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
            .threaded(PolicyRuntime.limits(eviction), eviction.logSize())
            .heap(Runtime.getRuntime().maxMemory());
    try {
      return new ObjectStore(device, options, TimeSource.SYSTEM);
    } catch (DeviceException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }
}
