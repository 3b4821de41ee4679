package dev.ebb.host.resp;

import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.login.PasswordHash;
import dev.ebb.host.numa.NumaPlacement;
import dev.ebb.host.resp.net.Transport;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.tls.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A server on a free port, with a store of its own. */
public record RunningServer(HostDevice device, ObjectStore store, RespServer server)
    implements AutoCloseable {

  public static RunningServer of(long poolBytes) {
    return of(poolBytes, null, false);
  }

  public static RunningServer of(long poolBytes, @Nullable String password, boolean failsWhenFull) {
    return of(poolBytes, password, failsWhenFull, Transport.best());
  }

  static RunningServer of(
      long poolBytes, @Nullable String password, boolean failsWhenFull, Transport transport) {
    return of(poolBytes, null, password, failsWhenFull, transport);
  }

  static RunningServer of(
      long poolBytes, Path unixSocket, @Nullable String password, Transport transport) {
    return of(poolBytes, unixSocket, password, false, transport);
  }

  /** A server whose pool clients of the Unix domain socket map from a file in a folder. */
  static RunningServer shared(long poolBytes, Path unixSocket, Path folder, boolean failsWhenFull) {
    return shared(poolBytes, unixSocket, folder, failsWhenFull, ClientLimits.defaults());
  }

  static RunningServer shared(
      long poolBytes, Path unixSocket, Path folder, boolean failsWhenFull, ClientLimits clients) {
    return of(
        HostDevice.sharedIn(folder, NumaPlacement.DEFAULT),
        poolBytes,
        options(unixSocket, null, failsWhenFull, clients),
        Transport.best());
  }

  private static RunningServer of(
      long poolBytes,
      @Nullable Path unixSocket,
      @Nullable String password,
      boolean failsWhenFull,
      Transport transport) {
    return of(
        new HostDevice(),
        poolBytes,
        options(unixSocket, password, failsWhenFull, ClientLimits.defaults()),
        transport);
  }

  private static RunningServer of(
      HostDevice device, long poolBytes, RespOptions options, Transport transport) {
    // As in a server, but that values leave only when there is no room.
    StoreOptions values =
        StoreOptions.of(poolBytes, Duration.ofHours(1), 17)
            .threaded(new EvictionLimits(1, 1, Duration.ofSeconds(20)), 64);
    ObjectStore store = new ObjectStore(device, values, TimeSource.SYSTEM);
    return new RunningServer(
        device,
        store,
        RespServer.start(
            store,
            RemoteValues.NONE,
            RequestRouter.NONE,
            SequenceService.NONE,
            options,
            transport));
  }

  /** A server in which no request evicts values of higher priority while there are others. */
  static RunningServer respectingPriority(long poolBytes) {
    HostDevice device = new HostDevice();
    StoreOptions values =
        StoreOptions.of(poolBytes, Duration.ofHours(1), 17)
            .threaded(new EvictionLimits(1, 1, Duration.ofSeconds(20)), 64)
            .respectPriority(true);
    ObjectStore store = new ObjectStore(device, values, TimeSource.SYSTEM);
    RespOptions options = options(null, null, false, ClientLimits.defaults());
    return new RunningServer(
        device, store, RespServer.start(store, RemoteValues.NONE, RequestRouter.NONE, options));
  }

  /** A server with limits for its clients. */
  static RunningServer limited(long poolBytes, @Nullable String password, ClientLimits clients) {
    return node(poolBytes, password, clients, RemoteValues.NONE);
  }

  /** A server beside which other nodes have values. */
  static RunningServer node(long poolBytes, RemoteValues remote) {
    return node(poolBytes, null, ClientLimits.defaults(), remote);
  }

  static RunningServer node(
      long poolBytes, @Nullable String password, ClientLimits clients, RemoteValues remote) {
    return node(poolBytes, password, clients, remote, RequestRouter.NONE);
  }

  /** A server of a cluster whose nodes a router ranks. */
  static RunningServer routed(long poolBytes, RequestRouter router) {
    return node(poolBytes, null, ClientLimits.defaults(), RemoteValues.NONE, router);
  }

  private static RunningServer node(
      long poolBytes,
      @Nullable String password,
      ClientLimits clients,
      RemoteValues remote,
      RequestRouter router) {
    HostDevice device = new HostDevice();
    ObjectStore store =
        new ObjectStore(
            device, StoreOptions.of(poolBytes, Duration.ofHours(1), 17), TimeSource.SYSTEM);
    return new RunningServer(
        device,
        store,
        RespServer.start(store, remote, router, options(null, password, false, clients)));
  }

  /** A server whose only user has this name and password, and every right. */
  public static RunningServer ofUser(long poolBytes, String user, String password) {
    UserConfig only =
        new UserConfig(
            user,
            PasswordHash.of(password.toCharArray(), 100_000),
            Set.of(UserRight.values()),
            List.of(),
            null);
    return withUsers(poolBytes, null, List.of(only), RemoteValues.NONE);
  }

  /** A server with users beside the default one. */
  static RunningServer withUsers(
      long poolBytes, @Nullable String password, List<UserConfig> users, RemoteValues remote) {
    HostDevice device = new HostDevice();
    ObjectStore store =
        new ObjectStore(
            device, StoreOptions.of(poolBytes, Duration.ofHours(1), 17), TimeSource.SYSTEM);
    RespOptions plain = options(null, password, false, ClientLimits.defaults());
    RespOptions options =
        new RespOptions(
            plain.address(),
            null,
            null,
            password,
            users,
            plain.maxValueBytes(),
            false,
            plain.threads(),
            plain.clients(),
            PriorityScale.LARGER_FIRST);
    return new RunningServer(
        device, store, RespServer.start(store, remote, RequestRouter.NONE, options));
  }

  /** A server that clients must use TLS with. */
  static RunningServer encrypted(long poolBytes, TlsFiles files) {
    RespOptions plain = options(null, null, false, ClientLimits.defaults());
    return of(
        new HostDevice(),
        poolBytes,
        new RespOptions(
            plain.address(),
            null,
            files,
            null,
            List.of(),
            plain.maxValueBytes(),
            false,
            plain.threads(),
            plain.clients(),
            PriorityScale.LARGER_FIRST),
        Transport.best());
  }

  /** Returns options of a server for small values, with one thread and no password. */
  static RespOptions options(InetSocketAddress address, @Nullable Path unixSocket) {
    return new RespOptions(
        address,
        unixSocket,
        null,
        null,
        List.of(),
        1024,
        false,
        1,
        ClientLimits.defaults(),
        PriorityScale.LARGER_FIRST);
  }

  private static RespOptions options(
      @Nullable Path unixSocket,
      @Nullable String password,
      boolean failsWhenFull,
      ClientLimits clients) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new RespOptions(
        any,
        unixSocket,
        null,
        password,
        List.of(),
        RespOptions.DEFAULT_MAX_VALUE_BYTES,
        failsWhenFull,
        2,
        clients,
        PriorityScale.LARGER_FIRST);
  }

  public int port() {
    return server.address().getPort();
  }

  @Override
  public void close() {
    server.close();
    store.close();
    device.close();
  }
}
