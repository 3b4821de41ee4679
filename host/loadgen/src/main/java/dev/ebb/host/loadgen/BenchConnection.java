package dev.ebb.host.loadgen;

import it.unimi.dsi.fastutil.longs.LongArrayFIFOQueue;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** One connection, which always has as many requests in flight as allowed. */
final class BenchConnection {

  private final SocketChannel socket;
  private final @Nullable TlsChannel encrypted;
  private final SelectionKey readiness;
  private final BenchLoad load;
  private final Values values;
  private final Bench.Requests requests;
  private final Bench.Counters counters;
  private final LongOpenHashSet written;
  private final RequestWriter out;
  private final ReplyReader in;

  /** The requests in flight, oldest at {@link #oldest}: keys, kinds and when each was sent. */
  private final long[] ids;

  private final boolean[] gets;

  /** Whether this run had written the key before it was asked for. */
  private final boolean[] known;

  private final long[] asked;
  private int oldest;
  private int underWay;

  /** Keys that were not found, to be SET next. */
  private final LongArrayFIFOQueue refills = new LongArrayFIFOQueue();

  BenchConnection(
      SocketChannel socket,
      @Nullable TlsChannel encrypted,
      SelectionKey readiness,
      BenchLoad load,
      Values values,
      Bench.Requests requests,
      Bench.Counters counters,
      LongOpenHashSet written) {
    this.socket = socket;
    this.encrypted = encrypted;
    this.readiness = readiness;
    this.load = load;
    this.values = values;
    this.requests = requests;
    this.counters = counters;
    this.written = written;
    out = new RequestWriter(values);
    in = new ReplyReader(values, load.verify());
    ids = new long[load.pipeline()];
    gets = new boolean[load.pipeline()];
    known = new boolean[load.pipeline()];
    asked = new long[load.pipeline()];
  }

  boolean idle() {
    return underWay == 0;
  }

  /** Sends as many requests as may be in flight, and writes as much as the socket accepts. */
  void ask(boolean fillOnly) throws IOException {
    boolean sent;
    do {
      while (underWay < ids.length && out.hasRoom() && !(fillOnly && !requests.filling())) {
        put();
      }
      sent = encrypted == null ? out.write(socket) : out.write(encrypted) && encrypted.flush();
    } while (sent && underWay < ids.length && !(fillOnly && !requests.filling()));
    int wanted = sent ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    if (readiness.interestOps() != wanted) {
      readiness.interestOps(wanted);
    }
  }

  void read(ByteBuffer shared) throws IOException {
    if (encrypted == null) {
      readOnce(socket, shared);
      return;
    }
    // The socket does not report bytes that have been received, but found no place.
    while (readOnce(encrypted, shared) == shared.capacity()) {}
  }

  private int readOnce(ReadableByteChannel from, ByteBuffer shared) throws IOException {
    shared.clear();
    int read = from.read(shared);
    if (read < 0) {
      throw new EOFException("the server closed the connection");
    }
    shared.flip();
    while (shared.hasRemaining()) {
      if (underWay == 0) {
        throw new IOException("the server sent a reply without a request");
      }
      RequestOutcome outcome = in.read(shared, ids[oldest]);
      if (outcome != null) {
        answered(outcome);
      }
    }
    return read;
  }

  private void put() {
    long id;
    boolean get;
    if (refills.isEmpty()) {
      id = requests.next();
      get = requests.get();
    } else {
      id = refills.dequeueLong();
      get = false;
    }
    if (get) {
      out.get(id);
    } else {
      out.set(id);
    }
    int slot = (oldest + underWay++) % ids.length;
    ids[slot] = id;
    gets[slot] = get;
    known[slot] = load.verify() && written.contains(id);
    asked[slot] = System.nanoTime();
  }

  private void answered(RequestOutcome outcome) {
    long id = ids[oldest];
    boolean get = gets[oldest];
    boolean own = known[oldest];
    counters.requests++;
    counters.latency(System.nanoTime() - asked[oldest]);
    oldest = (oldest + 1) % ids.length;
    underWay--;
    if (outcome == RequestOutcome.ERROR) {
      counters.error(in.text());
    } else if (get) {
      counters.gets++;
      if (outcome == RequestOutcome.MISSING) {
        if (load.refill()) {
          refills.enqueue(id);
        }
        return;
      }
      counters.hits++;
      counters.bytes += in.size();
      if (load.verify()) {
        compare(outcome, id, own);
      }
    } else {
      if (load.verify()) {
        written.add(id);
      }
      counters.sets++;
      counters.bytes += values.size(id);
    }
  }

  /** Counts a value that was compared. One that another run may have stored is not wrong. */
  private void compare(RequestOutcome outcome, long id, boolean own) {
    if (outcome == RequestOutcome.FOREIGN && !own) {
      counters.foreign++;
      return;
    }
    counters.compared++;
    if (outcome != RequestOutcome.VALUE) {
      counters.wrong(id);
    }
  }
}
