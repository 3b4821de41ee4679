package dev.ebb.host.resp;

import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SharedValues;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
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
    Session session =
        new Session(
            ids.incrementAndGet(),
            channel.remoteAddress(),
            channel.localAddress(),
            options.password() == null,
            !(channel.localAddress() instanceof InetSocketAddress));
    sessions.put(session.id, session);
    return session;
  }

  void closed(Session session) {
    sessions.remove(session.id);
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
