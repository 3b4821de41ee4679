package dev.ebb.host.serve;

import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.OnFullChoice;
import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.config.ServerConfig;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.objects.ObjectStore;
import dev.ebb.host.objects.TimeSource;
import dev.ebb.host.resp.OnFull;
import dev.ebb.host.resp.RespOptions;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.wiring.Host;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;

/** A process that serves clients. */
public final class Serving implements AutoCloseable {

  private final HostDevice device;
  private final ObjectStore store;
  private final RespServer server;

  private Serving(HostDevice device, ObjectStore store, RespServer server) {
    this.device = device;
    this.store = store;
    this.server = server;
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
    if (config.pool().device() == PoolDevice.CUDA) {
      throw new UserError(
          "ebb.pool.device = 'cuda': clients' values are held in host memory only; set it to auto or host");
    }
    ServerConfig settings = config.server();
    RespOptions options = options(settings);
    HostDevice device = new HostDevice();
    try {
      ObjectStore store = open(config, device);
      try {
        put(host, store);
        return new Serving(device, store, RespServer.start(store, options));
      } catch (RuntimeException failed) {
        store.close();
        throw failed;
      }
    } catch (RuntimeException failed) {
      device.close();
      throw failed;
    }
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
   * Takes no more clients, and waits for those that are there.
   *
   * @param grace how long
   */
  public void drain(Duration grace) {
    server.drain(grace);
  }

  @Override
  public void close() {
    server.close();
    store.close();
    device.close();
  }

  private static RespOptions options(ServerConfig settings) {
    InetAddress bind;
    try {
      bind = InetAddress.getByName(settings.bind());
    } catch (UnknownHostException unknown) {
      throw new UserError(
          "cannot listen on '%s': no such address; give one of this machine's, such as 127.0.0.1"
              .formatted(settings.bind()));
    }
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

  private static ObjectStore open(EbbConfig config, HostDevice device) {
    long bytes = config.pool().size().bytesOf(device.memory().availableBytes());
    try {
      return new ObjectStore(
          device, bytes, config.eviction().ttl(), new SecureRandom().nextLong(), TimeSource.SYSTEM);
    } catch (DeviceException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }

  private static void put(Host host, ObjectStore store) {
    String name = host.config().eviction().policy().name();
    try {
      store.install(
          name,
          (partition, capacityBlocks) ->
              host.policies()
                  .create(
                      name,
                      capacityBlocks,
                      partition,
                      TimeSource.SYSTEM::nanos,
                      new SecureRandom().nextLong()));
    } catch (PolicyFault fault) {
      throw new UserError(String.valueOf(fault.getMessage()));
    }
  }
}
