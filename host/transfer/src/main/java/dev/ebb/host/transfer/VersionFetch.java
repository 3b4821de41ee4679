package dev.ebb.host.transfer;

import dev.ebb.host.transfer.FetchResult.Status;
import dev.ebb.host.transfer.TransferException.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The receipt of one version of a value. The first part brings the header; if there are more parts,
 * other threads fetch them over other connections. Each part continues after a broken connection.
 */
final class VersionFetch {

  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 1_000;
  private static final int DRAINED = 256 << 10;

  /** Bytes of the value that one connection receives. Only its thread changes it. */
  private static final class Part {
    private long at;
    private long end;

    Part(long at, long end) {
      this.at = at;
      this.end = end;
    }
  }

  private final Fetch fetch;
  private final boolean background;
  private final LongAdder bytes = new LongAdder();
  private final Set<FrameChannel> channels = ConcurrentHashMap.newKeySet();
  private final List<Thread> helpers = new ArrayList<>();

  private boolean started;
  private long next;
  private long end;
  private volatile @Nullable ValueHeader header;
  private volatile @Nullable Status status;
  private volatile @Nullable Throwable failure;

  VersionFetch(Fetch fetch) {
    this.fetch = fetch;
    background = fetch.options.priority() == TransferPriority.BACKGROUND;
    next = fetch.options.offset();
    end = Math.addExact(next, Math.min(fetch.options.length(), Long.MAX_VALUE - next));
  }

  @Nullable ValueHeader header() {
    return header;
  }

  long bytes() {
    return bytes.sum();
  }

  Status run() throws TransferException, InterruptedException {
    fetchParts();
    joinHelpers();
    Throwable failed = failure;
    switch (failed) {
      case null -> {}
      case TransferException transfer -> throw transfer;
      case InterruptedException interrupted -> throw interrupted;
      case RuntimeException unexpected -> throw unexpected;
      case Error error -> throw error;
      default -> throw new IllegalStateException(failed);
    }
    Status ended = status;
    return ended == null ? Status.COMPLETE : ended;
  }

  /** Waits for all streams, whatever happens: none may use the sink afterwards. */
  private void joinHelpers() {
    boolean interrupted = false;
    for (Thread helper : helpers) {
      while (true) {
        try {
          helper.join();
          break;
        } catch (InterruptedException again) {
          interrupted = true;
          end(null, again);
        }
      }
    }
    if (interrupted && !(failure instanceof InterruptedException)) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean ended() {
    return status != null || failure != null;
  }

  /** Ends all streams with the first outcome. */
  private void end(@Nullable Status how, @Nullable Throwable why) {
    synchronized (this) {
      if (ended()) {
        return;
      }
      status = how;
      failure = why;
    }
    channels.forEach(FrameChannel::close);
  }

  private void fetchParts() {
    try {
      Part part = nextPart();
      while (part != null) {
        fetchPart(part);
        part = nextPart();
      }
    } catch (TransferException | InterruptedException | RuntimeException | Error failed) {
      end(null, failed);
    }
  }

  private synchronized @Nullable Part nextPart() {
    if (ended() || (started && next >= end)) {
      return null;
    }
    started = true;
    Part part = new Part(next, next + Math.min(end - next, partBytes()));
    next = part.end;
    return part;
  }

  private long partBytes() {
    if (background) {
      return fetch.client.pacer.part();
    }
    return fetch.options.streams() == 1 ? Long.MAX_VALUE : fetch.client.options.limits().part();
  }

  private void fetchPart(Part part) throws TransferException, InterruptedException {
    int failures = 0;
    boolean done = false;
    while (!done && !ended()) {
      long before = part.at;
      try {
        if (background) {
          fetch.client.pacer.await(fetch.deadline);
        }
        done = tryPart(part);
      } catch (IOException failed) {
        TransferClient.interrupted();
        if (ended()) {
          return;
        }
        failures = part.at > before ? 1 : failures + 1;
        checkRetry(failed, failures);
        pause(failures);
      }
    }
  }

  private void checkRetry(IOException failed, int failures) throws TransferException {
    Reason reason = failed instanceof PeerException peer ? peer.reason() : Reason.UNREACHABLE;
    boolean damaged = reason == Reason.DAMAGED;
    if (damaged) {
      fetch.client.counters.damaged.increment();
    }
    if ((damaged && fetch.damages.incrementAndGet() > 1)
        || reason == Reason.NOT_ACCEPTED
        || failures >= fetch.options.attempts()
        || System.nanoTime() - fetch.deadline >= 0) {
      throw fetch.failed(failed);
    }
    fetch.retries.incrementAndGet();
    fetch.client.counters.retries.increment();
  }

  private void pause(int failures) throws InterruptedException {
    long longest = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10));
    long left = TimeUnit.NANOSECONDS.toMillis(fetch.deadline - System.nanoTime());
    long millis = ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
    Thread.sleep(Math.max(0, Math.min(millis, left)));
  }

  /** Receives the rest of a part over one connection; returns whether nothing is left to do. */
  private boolean tryPart(Part part) throws IOException, InterruptedException {
    PeerConnections connections = fetch.client.connections(fetch.peer);
    FrameChannel channel = connections.take(fetch.options.priority(), fetch.deadline);
    boolean answered = false;
    channels.add(channel);
    try {
      if (ended()) {
        return true;
      }
      answered = exchange(channel, part);
      return true;
    } finally {
      channels.remove(channel);
      connections.release(channel, fetch.options.priority(), answered);
    }
  }

  /** Returns whether the connection can be used again. */
  private boolean exchange(FrameChannel channel, Part part) throws IOException {
    channel.limit(fetch.client.options.times().stall().toNanos(), true, "transfer", fetch.deadline);
    ValueHeader known = header;
    FetchRequest request =
        new FetchRequest(
            fetch.options.priority(),
            known != null,
            known == null ? fetch.options.minVersion() : known.version(),
            part.at,
            part.end - part.at,
            fetch.key,
            channel.version < Handshake.TRACED ? null : fetch.options.traceparent());
    channel.write(FrameChannel.FETCH, request.flags(), request.body());
    channel.flush();
    nextFrame(channel);
    if (channel.type() != FrameChannel.VALUE) {
      return withoutValue(channel);
    }
    ValueHeader current = ValueHeader.of(channel.body(ValueHeader.MAX_BODY));
    checkVersion(known, request, current);
    part.end = part.at + request.available(current.length());
    if (known == null && !begin(current)) {
      end(Status.REFUSED, null);
      return drained(channel, part.end - part.at);
    }
    return receive(channel, part);
  }

  private static void nextFrame(FrameChannel channel) throws IOException {
    if (!channel.next()) {
      throw new EOFException("the peer closed the connection");
    }
  }

  private static void checkVersion(
      @Nullable ValueHeader known, FetchRequest request, ValueHeader current) throws PeerException {
    boolean wanted =
        known == null
            ? current.version() >= request.version()
            : current.version() == known.version() && current.length() == known.length();
    if (!wanted) {
      throw new PeerException("the peer sent %s, which was not requested".formatted(current));
    }
  }

  /** Passes the header to the sink and starts the other streams; false if it is not wanted. */
  private boolean begin(ValueHeader current) {
    if (!fetch.sink.begin(current)) {
      return false;
    }
    header = current;
    synchronized (this) {
      end = Math.max(next, Math.min(end, current.length()));
      long parts = (end - next + partBytes() - 1) / partBytes();
      for (int i = 1; i < fetch.options.streams() && i <= parts; i++) {
        helpers.add(Thread.ofVirtual().name("ebb-transfer-stream").start(this::fetchParts));
      }
    }
    return true;
  }

  private boolean receive(FrameChannel channel, Part part) throws IOException {
    while (part.at < part.end) {
      nextFrame(channel);
      if (channel.type() != FrameChannel.PIECE) {
        return withoutValue(channel);
      }
      if (channel.number() != part.at
          || channel.length() == 0
          || channel.length() > Math.min(part.end - part.at, FrameChannel.MAX_PIECE)) {
        throw new PeerException(
            "the peer sent %d bytes at '%d', but '%d' was expected"
                .formatted(channel.length(), channel.number(), part.at));
      }
      piece(channel, part.at, channel.length());
      part.at += channel.length();
      bytes.add(channel.length());
      if (ended()) {
        return false;
      }
    }
    return true;
  }

  private void piece(FrameChannel channel, long offset, int length) throws IOException {
    channel.startBody();
    int filled = 0;
    while (filled < length) {
      ByteBuffer memory = fetch.sink.place(offset + filled, length - filled);
      if (!memory.hasRemaining()) {
        throw new IllegalStateException("the sink returned no memory at '" + offset + "'");
      }
      int some = Math.min(memory.remaining(), length - filled);
      memory.limit(memory.position() + some);
      channel.receive(memory);
      filled += some;
      count(some);
    }
    channel.verify();
  }

  private void count(int some) {
    fetch.received.add(some);
    fetch.client.counters.bytes(fetch.options.priority(), some);
    if (background) {
      fetch.client.pacer.charge(some);
    }
  }

  /** Ends the fetch by a frame without bytes of the value. */
  private boolean withoutValue(FrameChannel channel) throws IOException {
    switch (channel.type()) {
      case FrameChannel.ABSENT -> end(Status.ABSENT, null);
      case FrameChannel.CHANGED -> end(Status.CHANGED, null);
      case FrameChannel.ERROR ->
          throw new PeerException(
              Reason.PEER_FAILED,
              new String(channel.body(FrameChannel.MAX_PIECE), StandardCharsets.UTF_8));
      default -> throw channel.unexpected();
    }
    return true;
  }

  /** Receives few bytes that are not wanted, since a new connection would take longer. */
  private static boolean drained(FrameChannel channel, long bytes) throws IOException {
    if (bytes > DRAINED) {
      return false;
    }
    long left = bytes;
    while (left > 0) {
      nextFrame(channel);
      if (channel.type() != FrameChannel.PIECE) {
        return false;
      }
      left -= channel.body(DRAINED).length;
    }
    return true;
  }
}
