package dev.ebb.host.kvevents;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.kvevents.ReplayBuffer.Batch;
import dev.ebb.host.kvevents.source.EngineSources;
import dev.ebb.host.kvevents.source.SourceStats;
import dev.ebb.host.kvevents.tokens.TokenBlock;
import dev.ebb.host.kvevents.tokens.TokenTable;
import dev.ebb.host.store.key.DiskKeyListener;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.key.StatedTokens;
import dev.ebb.host.store.key.TokenIndex;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import org.zeromq.ZMsg;

/**
 * Publishes events as vLLM's {@code ZmqEventPublisher} does: each message is a topic, a sequence
 * number of 8 bytes and a batch. One thread owns the sockets.
 *
 * <p>The first batch clears what subscribers know of an earlier process. Where events were dropped,
 * one sequence number is left out, so that subscribers notice.
 */
public final class KvEventPublisher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvEventPublisher.class);

  private static final int QUEUE = 1 << 16;
  private static final int MOST_WAITING = 1 << 16;
  private static final int BATCH = 100;
  private static final int SENDING = 100_000;
  private static final int HANDSHAKE_MILLIS = 2_000;
  private static final int WAIT_MILLIS = 20;
  private static final long CLOSE_MILLIS = 5_000;
  private static final long END = -1;
  private static final byte[] NOTHING = {};

  private final KvEventsConfig config;
  private final Clock clock;
  private final KvEventQueue queue;
  private final EventEncoder encoder;
  private final TokenTable table;
  private final WaitingChunks waiting;
  private final BlockAnnouncer announcer;
  private final DiskEvents disk;
  private final @Nullable EngineSources sources;
  private final ReplayBuffer buffer;
  private final byte[] topic;
  private final ZContext context = new ZContext();
  private final ZMQ.Socket publisher;
  private final ZMQ.@Nullable Socket replay;
  private final String endpoint;
  private final @Nullable String replayEndpoint;
  private final Thread thread;
  private long sequence;
  private final LogThrottle warnings = new LogThrottle();
  private final LongAdder events = new LongAdder();
  private final LongAdder batches = new LongAdder();
  private final LongAdder replays = new LongAdder();
  private final LongAdder withoutTokens = new LongAdder();
  private volatile boolean closing;

  private KvEventPublisher(KvEventsConfig config, Clock clock, int queueSize) {
    this.config = config;
    this.clock = clock;
    queue = new KvEventQueue(queueSize);
    disk = new DiskEvents(queue::add);
    encoder = new EventEncoder(config.format(), config.medium());
    buffer = new ReplayBuffer(config.bufferSteps());
    topic = config.topic().getBytes(StandardCharsets.UTF_8);
    boolean hasSources = !config.tokens().sources().isEmpty();
    table = new TokenTable(config.tokens().memory(), config.tokens().blockSize());
    waiting = new WaitingChunks(hasSources ? MOST_WAITING : 0);
    announcer = new BlockAnnouncer(table, waiting);
    try {
      publisher = publisher();
      replay = replay();
      sources = hasSources ? EngineSources.start(config, this::learned) : null;
    } catch (UserError refused) {
      context.close();
      table.close();
      throw refused;
    }
    endpoint = config.connect() ? config.endpoint() : publisher.getLastEndpoint();
    replayEndpoint = replay == null ? null : replay.getLastEndpoint();
    thread = Thread.ofPlatform().name("ebb-kv-events").daemon().unstarted(this::run);
  }

  /**
   * Starts to publish.
   *
   * @throws UserError if an address cannot be used
   */
  public static KvEventPublisher start(KvEventsConfig config) {
    return start(config, Clock.systemUTC(), QUEUE);
  }

  static KvEventPublisher start(KvEventsConfig config, Clock clock, int queueSize) {
    KvEventPublisher publisher = new KvEventPublisher(config, clock, queueSize);
    publisher.queue.cleared();
    publisher.thread.start();
    return publisher;
  }

  /** Returns the listener that feeds it. */
  public KeyListener listener() {
    return queue;
  }

  /** Returns the listener that feeds it with the values on the disk. */
  public DiskKeyListener diskListener() {
    return disk;
  }

  /** Returns the listener that feeds it with the cached blocks of sequences. */
  public PageListener pageListener() {
    return new PageEvents(queue, disk);
  }

  /** Returns what knows the tokens of values. */
  public TokenIndex index() {
    return new TokenIndex() {

      @Override
      public void stated(StatedTokens tokens) {
        queue.stated(tokens);
      }

      @Override
      public boolean[] resident(long[] blocks, Predicate<byte[]> usable) {
        return announcer.resident(blocks, usable);
      }
    };
  }

  /** Takes a block of an engine. A chunk that waits for it is published again, with its tokens. */
  private void learned(TokenBlock block) {
    Long chunk = table.put(block) ? waiting.waitsFor(block.id()) : null;
    if (chunk != null) {
      queue.add(new KvEvent.Known(chunk));
    }
  }

  /** Returns the counts since the start. */
  public KvEventStats stats() {
    return new KvEventStats(
        events.sum(),
        batches.sum(),
        queue.dropped(),
        replays.sum(),
        queue.size(),
        withoutTokens.sum(),
        table.size(),
        table.bytes(),
        sources == null ? SourceStats.NONE : sources.stats());
  }

  /** Returns the address of the publisher, with the port in use. */
  public String endpoint() {
    return endpoint;
  }

  /** Returns the address for replays, with the port in use; null if there is none. */
  public @Nullable String replayEndpoint() {
    return replayEndpoint;
  }

  private ZMQ.Socket socket(SocketType type) {
    ZMQ.Socket socket = context.createSocket(type);
    socket.setLinger(0);
    // JeroMQ sometimes loses a greeting. Clients connect again after this time.
    socket.setHandshakeIvl(HANDSHAKE_MILLIS);
    return socket;
  }

  private ZMQ.Socket publisher() {
    ZMQ.Socket socket = socket(SocketType.PUB);
    socket.setSndHWM(SENDING);
    if (config.connect()) {
      open(KvEventsConfig.ENDPOINT, config.endpoint(), "connect to", socket::connect);
    } else {
      open(KvEventsConfig.ENDPOINT, config.endpoint(), "listen on", socket::bind);
    }
    return socket;
  }

  private ZMQ.@Nullable Socket replay() {
    String address = config.replayEndpoint();
    if (address == null) {
      return null;
    }
    ZMQ.Socket socket = socket(SocketType.ROUTER);
    // A whole replay fits, or the socket would drop the rest.
    socket.setSndHWM(2 * config.bufferSteps());
    open(KvEventsConfig.REPLAY_ENDPOINT, address, "listen on", socket::bind);
    return socket;
  }

  private interface Opening {
    boolean open(String endpoint);
  }

  private static void open(ConfigKey<?> key, String endpoint, String verb, Opening opening) {
    String reason = "the address is wrong";
    try {
      if (opening.open(endpoint)) {
        return;
      }
    } catch (ZMQException | IllegalArgumentException refused) {
      reason = String.valueOf(refused.getMessage());
    }
    throw new UserError(
        "cannot %s '%s': %s; set %s to a free address of this machine"
            .formatted(verb, endpoint, reason, key));
  }

  private void run() {
    try {
      while (!closing || !queue.isEmpty()) {
        replays();
        publish(queue.take(BATCH, WAIT_MILLIS));
      }
    } catch (RuntimeException failed) {
      LOG.error("KV events are not published any more reason=\"{}\"", failed.toString(), failed);
    } finally {
      context.close();
    }
  }

  private void publish(List<KvEvent> taken) {
    boolean lost = !taken.isEmpty() && taken.getLast() instanceof KvEvent.Lost;
    long before = announcer.withoutTokens();
    List<BlockEvent> batch = announcer.events(lost ? taken.subList(0, taken.size() - 1) : taken);
    withoutTokens.add(announcer.withoutTokens() - before);
    if (!batch.isEmpty()) {
      Batch next = new Batch(sequence++, encoder.encode(clock.millis() / 1e3, batch));
      send(publisher, topic, bytes(next.sequence()), next.payload());
      buffer.add(next);
      batches.increment();
      events.add(batch.size());
    }
    if (lost) {
      long missing = sequence++;
      warnings.log(_ ->
          LOG.warn(
              "KV events were dropped, their queue was full dropped={} missing_sequence={}",
              queue.dropped(),
              missing));
    }
  }

  /** Answers the requests for missed batches: those it has from a number on, then an end. */
  private void replays() {
    ZMsg request = replay == null ? null : ZMsg.recvMsg(replay, ZMQ.DONTWAIT);
    while (request != null && replay != null) {
      byte[] client = request.pop().getData();
      byte[] from = request.isEmpty() ? NOTHING : request.getLast().getData();
      if (request.size() == 2 && from.length == Long.BYTES) {
        for (Batch batch : buffer.from(ByteBuffer.wrap(from).getLong())) {
          reply(replay, client, topic, batch);
        }
        reply(replay, client, NOTHING, new Batch(END, NOTHING));
        replays.increment();
      } else {
        warnings.log(
            _ -> LOG.warn("request for KV events ignored: it is not an empty frame and 8 bytes"));
      }
      request.destroy();
      request = ZMsg.recvMsg(replay, ZMQ.DONTWAIT);
    }
  }

  private void reply(ZMQ.Socket socket, byte[] client, byte[] name, Batch batch) {
    byte[] number = bytes(batch.sequence());
    if (config.format() == KvEventsFormat.MAP) {
      send(socket, client, NOTHING, name, number, batch.payload());
    } else {
      send(socket, client, NOTHING, number, batch.payload());
    }
  }

  private static void send(ZMQ.Socket socket, byte[]... frames) {
    for (int i = 0; i < frames.length; i++) {
      socket.send(frames[i], i + 1 < frames.length ? ZMQ.SNDMORE : 0);
    }
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /** Publishes what is queued, for a few seconds at most, and closes the sockets. */
  @Override
  public void close() {
    closing = true;
    if (sources != null) {
      sources.close();
    }
    try {
      if (thread.join(Duration.ofMillis(CLOSE_MILLIS))) {
        table.close();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
