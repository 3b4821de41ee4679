package dev.ebb.host.kvevents.source;

import dev.ebb.host.config.KvEventsConfig;
import dev.ebb.host.config.key.ConfigKey;
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
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
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
  private static final long WARNING_NANOS = 10_000_000_000L;
  private static final long CLOSE_MILLIS = 5_000;
  private static final byte[] NOTHING = {};

  private final ZContext context = new ZContext();
  private final List<Source> sources = new ArrayList<>();
  private final EngineEvents reader;
  private final Thread thread;
  private final LongAdder events = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder gaps = new LongAdder();
  private long lastWarning;
  private volatile boolean closing;

  private EngineSources(KvEventsConfig config, Consumer<TokenBlock> blocks) {
    reader = new EngineEvents(blocks);
    try {
      for (int i = 0; i < config.tokens().sources().size(); i++) {
        boolean replays = i < config.tokens().replaySources().size();
        sources.add(
            new Source(
                config.tokens().sources().get(i),
                open(SocketType.SUB, KvEventsConfig.SOURCES, config.tokens().sources().get(i)),
                replays
                    ? open(
                        SocketType.DEALER,
                        KvEventsConfig.REPLAY_SOURCES,
                        config.tokens().replaySources().get(i))
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
    final String address;
    final ZMQ.Socket socket;
    final ZMQ.@Nullable Socket replay;

    /** The next number of its batches; -1 while none is known. */
    long next = -1;

    Source(String address, ZMQ.Socket socket, ZMQ.@Nullable Socket replay) {
      this.address = address;
      this.socket = socket;
      this.replay = replay;
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
      if (socket.connect(address)) {
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
    try (ZMQ.Poller poller = context.createPoller(2 * sources.size())) {
      for (Source source : sources) {
        poller.register(source.socket, ZMQ.Poller.POLLIN);
        if (source.replay != null) {
          poller.register(source.replay, ZMQ.Poller.POLLIN);
          request(source.replay, 0);
        }
      }
      while (!closing) {
        poller.poll(WAIT_MILLIS);
        sources.forEach(this::receive);
      }
    } catch (RuntimeException failed) {
      LOG.error("KV events of engines are not read any more reason=\"{}\"", failed.toString(), failed);
    } finally {
      context.close();
    }
  }

  private void receive(Source source) {
    ZMsg message = ZMsg.recvMsg(source.socket, ZMQ.DONTWAIT);
    if (message != null) {
      published(source, message);
    }
    ZMsg replayed = source.replay == null ? null : ZMsg.recvMsg(source.replay, ZMQ.DONTWAIT);
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
      // A smaller number is that of an engine that has started again.
      missed(source, sequence > source.next ? source.next : 0);
    }
    source.next = sequence + 1;
    read(source, payload);
  }

  private void missed(Source source, long from) {
    if (source.replay != null) {
      request(source.replay, from);
    }
  }

  private static void request(ZMQ.Socket socket, long from) {
    // If the engine is away, what waits to be sent is dropped at the high water mark.
    byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(from).array();
    if (socket.send(NOTHING, ZMQ.SNDMORE | ZMQ.DONTWAIT)) {
      socket.send(number, ZMQ.DONTWAIT);
    }
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
    long now = System.nanoTime();
    if (lastWarning == 0 || now - lastWarning > WARNING_NANOS) {
      lastWarning = now;
      LOG.warn("message of a KV event source ignored source={} reason=\"{}\"", source.address, reason);
    }
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
