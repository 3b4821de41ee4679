package dev.ebb.host.kvevents.source;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.kvevents.tokens.TokenBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import org.zeromq.ZMonitor;
import org.zeromq.ZMsg;

/**
 * Subscribes to the KV events of engines. One thread owns the sockets, which connect again by
 * themselves. Batches that were missed are requested from the engine's replay endpoint, if it has
 * one; their order does not matter, because hashes of blocks do not change their meaning.
 */
public final class EngineSources implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EngineSources.class);

  private static final int MOST_MESSAGES = 256;
  private static final long MOST_MESSAGE_BYTES = 4 << 20;
  private static final int HANDSHAKE_MILLIS = 2_000;
  private static final int RECONNECT_MILLIS = 100;
  private static final int MOST_RECONNECT_MILLIS = 5_000;
  private static final int WAIT_MILLIS = 100;
  private static final long REPLACE_NANOS = 1_000_000_000L;
  private static final long CLOSE_MILLIS = 5_000;
  private static final byte[] NOTHING = {};

  private final ZContext context = new ZContext();
  private final ZMQ.Poller poller = context.createPoller(2);
  private final List<Source> sources = new ArrayList<>();
  private final EngineEvents reader;
  private final Thread thread;
  private final LongAdder events = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder gaps = new LongAdder();
  private final LogThrottle warnings = new LogThrottle();
  private volatile boolean closing;

  private EngineSources(KvEventsConfig config, Consumer<TokenBlock> blocks) {
    reader = new EngineEvents(blocks);
    try {
      for (int i = 0; i < config.tokens().sources().size(); i++) {
        List<String> replays = config.tokens().replaySources();
        sources.add(
            new Source(
                new Link(SocketType.SUB, KvEventsConfig.SOURCES, config.tokens().sources().get(i)),
                i < replays.size()
                    ? new Link(SocketType.DEALER, KvEventsConfig.REPLAY_SOURCES, replays.get(i))
                    : null));
      }
    } catch (UserError wrong) {
      context.close();
      throw wrong;
    }
    thread = Thread.ofPlatform().name("ebb-kv-sources").daemon().unstarted(this::run);
  }

  /** An engine. */
  private static final class Source {
    final Link published;
    final @Nullable Link replay;

    /** The next number of its batches; -1 while none is known. */
    long next = -1;

    Source(Link published, @Nullable Link replay) {
      this.published = published;
      this.replay = replay;
    }
  }

  /** A socket. It does not connect again after a message that is too large, so it is replaced. */
  private final class Link {
    final String address;
    private final SocketType type;
    private final ConfigKey<?> key;
    private ZMQ.Socket socket;

    /**
     * When the connection was lost, by {@link System#nanoTime()}; 0 while there is none to miss.
     */
    private volatile long lost;

    Link(SocketType type, ConfigKey<?> key, String address) {
      this.type = type;
      this.key = key;
      this.address = address;
      socket = open();
    }

    private ZMQ.Socket open() {
      lost = 0;
      ZMQ.Socket opened = EngineSources.this.open(type, key, address);
      opened.setEventHook(
          (ZEvent event) ->
              lost = event.getEvent() == ZMonitor.Event.CONNECTED ? 0 : System.nanoTime(),
          ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED);
      return opened;
    }

    void register() {
      poller.register(socket, ZMQ.Poller.POLLIN);
    }

    /** Returns a message; null if there is none. */
    @Nullable ZMsg receive() {
      long since = lost;
      if (since != 0 && System.nanoTime() - since > REPLACE_NANOS) {
        poller.unregister(socket);
        socket.close();
        socket = open();
        register();
      }
      return ZMsg.recvMsg(socket, ZMQ.DONTWAIT);
    }

    /** Requests batches from a number on. While the engine is away, some requests wait. */
    void request(long from) {
      byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(from).array();
      if (socket.send(NOTHING, ZMQ.SNDMORE | ZMQ.DONTWAIT)) {
        socket.send(number, ZMQ.DONTWAIT);
      }
    }
  }

  /**
   * Starts to subscribe.
   *
   * @param blocks receives the blocks of events, on one thread
   * @throws UserError if an address cannot be used
   */
  public static EngineSources start(KvEventsConfig config, Consumer<TokenBlock> blocks) {
    EngineSources sources = new EngineSources(config, blocks);
    sources.thread.start();
    return sources;
  }

  /** Returns the counts since the start. */
  public SourceStats stats() {
    return new SourceStats(events.sum(), rejected.sum(), gaps.sum());
  }

  private ZMQ.Socket open(SocketType type, ConfigKey<?> key, String address) {
    ZMQ.Socket socket = context.createSocket(type);
    socket.setLinger(0);
    socket.setRcvHWM(MOST_MESSAGES);
    socket.setMaxMsgSize(MOST_MESSAGE_BYTES);
    socket.setHandshakeIvl(HANDSHAKE_MILLIS);
    socket.setReconnectIVL(RECONNECT_MILLIS);
    socket.setReconnectIVLMax(MOST_RECONNECT_MILLIS);
    if (type == SocketType.SUB) {
      socket.subscribe(NOTHING);
    }
    String reason = "the address is wrong";
    try {
      // JeroMQ would connect to any address of this machine.
      if (!address.contains("*") && socket.connect(address)) {
        return socket;
      }
    } catch (ZMQException | IllegalArgumentException refused) {
      reason = String.valueOf(refused.getMessage());
    }
    throw new UserError(
        "cannot connect to '%s': %s; set %s to the addresses of engines, such as"
                .formatted(address, reason, key)
            + " [\"tcp://10.0.0.1:5557\"]");
  }

  private void run() {
    try {
      for (Source source : sources) {
        source.published.register();
        if (source.replay != null) {
          source.replay.register();
          source.replay.request(0);
        }
      }
      while (!closing) {
        poller.poll(WAIT_MILLIS);
        sources.forEach(this::receive);
      }
    } catch (RuntimeException failed) {
      LOG.error(
          "KV events of engines are not read any more reason=\"{}\"", failed.toString(), failed);
    } finally {
      poller.close();
      context.close();
    }
  }

  private void receive(Source source) {
    ZMsg message = source.published.receive();
    if (message != null) {
      published(source, message);
    }
    ZMsg replayed = source.replay == null ? null : source.replay.receive();
    if (replayed != null) {
      replayed(source, replayed);
    }
  }

  private void published(Source source, ZMsg message) {
    // A topic, a number and a batch.
    byte[] payload = message.size() == 3 ? message.pollLast().getData() : NOTHING;
    byte[] number = message.size() == 2 ? message.pollLast().getData() : NOTHING;
    message.destroy();
    if (number.length != Long.BYTES) {
      reject(source, "it is not a topic, a number and a batch");
      return;
    }
    long sequence = ByteBuffer.wrap(number).getLong();
    if (source.next >= 0 && sequence != source.next) {
      gaps.increment();
      if (source.replay != null) {
        // A smaller number is that of an engine that has started again.
        source.replay.request(sequence > source.next ? source.next : 0);
      }
    }
    source.next = sequence + 1;
    read(source, payload);
  }

  /** Reads a replayed batch, which ends in its number and its bytes. The end has none. */
  private void replayed(Source source, ZMsg message) {
    byte[] payload = message.size() >= 3 ? message.pollLast().getData() : NOTHING;
    message.destroy();
    if (payload.length > 0) {
      read(source, payload);
    }
  }

  private void read(Source source, byte[] payload) {
    int before = reader.events();
    int refused = reader.rejected();
    try {
      reader.read(payload);
    } catch (EngineEvents.Malformed wrong) {
      reject(source, String.valueOf(wrong.getMessage()));
    }
    events.add(reader.events() - before);
    rejected.add(reader.rejected() - refused);
  }

  private void reject(Source source, String reason) {
    rejected.increment();
    warnings.log(_ ->
        LOG.warn(
            "message of a KV event source ignored source={} reason=\"{}\"",
            source.published.address,
            reason));
  }

  /** Ends the subscriptions. */
  @Override
  public void close() {
    closing = true;
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
