package dev.ebb.host.resp;

import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.hint.HintLedger;
import dev.ebb.host.limits.MemoryBudget;
import dev.ebb.host.resp.session.Session;
import dev.ebb.host.resp.session.Users;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter;
import dev.ebb.host.store.SharedValues;
import io.netty.channel.Channel;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state that all connections share. */
public final class Connections {

  /** The stall timeout of clients that hold memory of the pool, while values find no room. */
  private static final Duration STALL_WITHOUT_ROOM = Duration.ofSeconds(3);

  /** How long after a value found no room that timeout applies. */
  private static final Duration SHORT_OF_ROOM = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  final ObjectStore store;
  final RemoteValues remote;
  final RequestRouter router;
  final SequenceService sequences;
  final RespOptions options;
  final SharedValues shared;
  final Users users;
  final HintLedger hints;
  private final Map<Long, Session> sessions = new ConcurrentSkipListMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final LogThrottle log = new LogThrottle();
  private final LogThrottle failures = new LogThrottle();
  private final LogThrottle fullFolders = new LogThrottle();
  private final LogThrottle unanswered = new LogThrottle();

  final MemoryBudget budget;

  /** The part of it for open requests: the rest is left for commands and replies. */
  private final MemoryBudget requests;

  final ClientMemory memory;
  final LongAdder rejected = new LongAdder();
  final LongAdder evicted = new LongAdder();
  final LongAdder stalled = new LongAdder();
  final LongAdder idle = new LongAdder();
  private final AtomicLong ids = new AtomicLong();
  final LongAdder commands = new LongAdder();
  final LongAdder remoteHits = new LongAdder();
  final LongAdder remoteMisses = new LongAdder();
  final LongAdder remoteFailures = new LongAdder();
  private final long sinceNanos = System.nanoTime();
  private volatile long noRoomNanos;
  private volatile boolean noRoom;

  Connections(
      ObjectStore store,
      RemoteValues remote,
      RequestRouter router,
      SequenceService sequences,
      RespOptions options) {
    this.store = store;
    this.remote = remote;
    this.router = router;
    this.sequences = sequences;
    this.options = options;
    users = new Users(options.password(), options.users());
    shared = new SharedValues(store);
    hints = new HintLedger(options.clients().retainedTokens(), System::nanoTime);
    budget = MemoryBudget.of(options.clients().memoryBytes());
    requests = budget.part(budget.limitBytes() / 2);
    memory =
        new ClientMemory(
            budget,
            sessions.values(),
            session -> close(session, evicted, "it uses most of ebb.server.client-memory"));
  }

  /** Opens a session; null if there are too many. */
  @Nullable Session opened(Channel channel) {
    if (count.incrementAndGet() > options.clients().connections()) {
      count.decrementAndGet();
      rejected.increment();
      warn("client refused", shown(channel.remoteAddress()), "more than ebb.server.max-clients");
      return null;
    }

    // As Redis does, shows the path for both ends of a Unix domain socket.
    boolean unix = !(channel.localAddress() instanceof InetSocketAddress);
    String path = options.unixSocket() + ":0";
    Session session =
        new Session(
            ids.incrementAndGet(),
            unix ? path : shown(channel.remoteAddress()),
            unix ? path : shown(channel.localAddress()),
            users.withoutLogin(),
            unix,
            store.connect(peer(channel, unix), requests),
            channel);
    sessions.put(session.id, session);
    return session;
  }

  private static String peer(Channel channel, boolean unix) {
    return !unix && channel.remoteAddress() instanceof InetSocketAddress remote
        ? remote.getHostString()
        : "";
  }

  private static String shown(SocketAddress address) {
    String text = String.valueOf(address);
    return text.substring(text.indexOf('/') + 1);
  }

  void closed(Session session) {
    count.decrementAndGet();
    sessions.remove(session.id);
    memory.release(session);
    session.store.close();
  }

  int count() {
    return count.get();
  }

  /** Must be called if a value found no room in the pool. */
  void noRoom() {
    noRoomNanos = System.nanoTime();
    noRoom = true;
  }

  /**
   * Returns the time without progress after which a client that holds memory of the pool is
   * disconnected: shorter if values found no room lately. Zero for never.
   */
  Duration stallTimeoutInPool() {
    Duration usual = options.clients().stallTimeout();
    boolean lately = noRoom && System.nanoTime() - noRoomNanos < SHORT_OF_ROOM.toNanos();
    return lately && usual.compareTo(STALL_WITHOUT_ROOM) > 0 ? STALL_WITHOUT_ROOM : usual;
  }

  long checkMillis() {
    ClientLimits limits = options.clients();
    return Stream.of(limits.stallTimeout(), limits.idleTimeout())
        .filter(Duration::isPositive)
        .mapToLong(Duration::toMillis)
        .map(timeout -> Math.clamp(timeout / 4, 10, 1_000))
        .min()
        .orElse(1_000);
  }

  /** Closes a connection, from any thread. */
  void close(Session session, LongAdder counter, String reason) {
    counter.increment();
    warn("connection closed", session.remote, reason);
    var _ = session.channel.close();
  }

  /** Logs what a client does wrong, not too often. */
  void warn(String what, String remote, String reason) {
    log.log(
        omitted -> LOG.warn("{} remote={} reason={} omitted={}", what, remote, reason, omitted));
  }

  /** Counts reads from other nodes; another tier of this one counts its own. */
  void remoteReads(int hits, int misses) {
    if (remote.onOtherNodes()) {
      remoteHits.add(hits);
      remoteMisses.add(misses);
    }
  }

  /** Counts and logs that other nodes did not answer a command. */
  void remoteFailed(Throwable cause) {
    if (!remote.onOtherNodes()) {
      return;
    }
    remoteFailures.increment();
    Throwable known = cause instanceof CompletionException ? cause.getCause() : cause;
    unanswered.log(omitted ->
        LOG.warn(
            "other nodes did not answer reason=\"{}\" omitted={}", String.valueOf(known), omitted));
  }

  /** Logs why a connection failed, unless its client or the network ended it. */
  void failed(SocketAddress remote, Throwable cause) {
    if (isUnwritten(cause)) {
      fullFolders.log(omitted ->
          LOG.error(
              "connection closed remote={} reason=the file system of ebb.server.shared-memory"
                  + " is full: free space there or choose another folder omitted={}",
              shown(remote),
              omitted));
    } else if (cause.getCause() instanceof SSLException refused) {
      warn("TLS handshake failed", shown(remote), reason(refused));
    } else if (!(cause instanceof IOException)) {
      failures.log(omitted ->
          LOG.error(
              "connection closed after a failure remote={} omitted={}",
              shown(remote),
              omitted,
              cause));
    }
  }

  /** Returns why a handshake failed, without the bytes of the client, which may be a password. */
  private static String reason(SSLException refused) {
    return refused instanceof NotSslRecordException
        ? "the client does not use TLS"
        : String.valueOf(refused.getMessage());
  }

  /**
   * Returns whether a page of the pool's file could not be allocated. Java then throws an
   * InternalError without a type of its own, and the kernel fails a read into that page with
   * EFAULT.
   */
  static boolean isUnwritten(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return cause instanceof InternalError
        ? message.contains("unsafe memory access")
        : cause instanceof IOException && message.contains("Bad address");
  }

  Collection<Session> sessions() {
    return sessions.values();
  }

  long connectionsEver() {
    return ids.get();
  }

  long upSeconds() {
    return (System.nanoTime() - sinceNanos) / 1_000_000_000;
  }
}
