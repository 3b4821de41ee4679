package dev.ebb.host.resp;

import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SharedValues;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The state that all connections share. */
final class Connections {

  final ObjectStore store;
  final RespOptions options;
  final SharedValues shared;
  private final Map<Long, Session> sessions = new ConcurrentSkipListMap<>();
  private final AtomicLong ids = new AtomicLong();
  final LongAdder commands = new LongAdder();
  private final long sinceNanos = System.nanoTime();

  Connections(ObjectStore store, RespOptions options) {
    this.store = store;
    this.options = options;
    shared = new SharedValues(store);
  }

  Session opened(Channel channel) {
    // As Redis does, shows the path for both ends of a Unix domain socket.
    boolean unix = !(channel.localAddress() instanceof InetSocketAddress);
    String path = options.unixSocket() + ":0";
    Session session =
        new Session(
            ids.incrementAndGet(),
            unix ? path : shown(channel.remoteAddress()),
            unix ? path : shown(channel.localAddress()),
            options.password() == null,
            unix,
            store.connect(peer(channel, unix)));
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
    sessions.remove(session.id);
    session.store.close();
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

  boolean accepts(byte[] user, byte[] password) {
    String expected = options.password();
    boolean right =
        expected != null
            && MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), password);
    boolean known = MessageDigest.isEqual(Text.bytes("default"), user);
    return known && right;
  }
}
