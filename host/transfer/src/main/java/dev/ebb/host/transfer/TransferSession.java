package dev.ebb.host.transfer;

import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.errors.UntrustedText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the requests of one connection, one after another. */
final class TransferSession {

  private static final Logger LOG = LoggerFactory.getLogger(TransferSession.class);
  private static final LogThrottle FAILURES = new LogThrottle();
  private static final int MOST_BUFFERS = 15;

  private final FrameChannel channel;
  private final TransferServer server;
  private final ByteBuffer[] buffers = new ByteBuffer[MOST_BUFFERS];

  /** The bytes of the value that were sent for the current request; -1 if there was none. */
  private long sent;

  TransferSession(FrameChannel channel, TransferServer server) {
    this.channel = channel;
    this.server = server;
  }

  void run() throws IOException {
    while (request()) {
      channel.flush();
    }
  }

  /** Answers one request; returns false if the peer has closed the connection. */
  private boolean request() throws IOException {
    // The next request need not come; but once it starts, it must come without a pause.
    channel.limit(2 * server.options.times().idle().toNanos(), false, "idle connection");
    if (!channel.next()) {
      return false;
    }
    channel.limit(server.options.times().stall().toNanos(), true, "request");
    switch (channel.type()) {
      case FrameChannel.FETCH -> fetch(request(FetchRequest.MAX_BODY));
      case FrameChannel.MESSAGE -> message(channel.body(TransferOptions.MAX_MESSAGE));
      default -> throw channel.unexpected();
    }
    return true;
  }

  private FetchRequest request(int most) throws IOException {
    int flags = channel.flags();
    return FetchRequest.of(flags, channel.body(most));
  }

  private void message(byte[] message) throws IOException {
    channel.unlimited();
    byte[] reply;
    try {
      reply = server.handler.apply(message);
      if (reply.length > TransferOptions.MAX_MESSAGE) {
        throw new IllegalStateException(
            "the reply has '%d' bytes; at most %d are allowed"
                .formatted(reply.length, TransferOptions.MAX_MESSAGE));
      }
    } catch (RuntimeException failed) {
      error(failed, "message");
      return;
    }
    sending("reply");
    channel.write(FrameChannel.REPLY, 0, reply);
    server.counters.messages.increment();
  }

  private void fetch(FetchRequest request) throws IOException {
    long start = System.nanoTime();
    sent = -1;
    channel.unlimited();
    send(request);
    if (request.traceparent() != null) {
      server.fetches.answered(request.traceparent(), System.nanoTime() - start, sent);
    }
  }

  private void send(FetchRequest request) throws IOException {
    if (request.priority() == TransferPriority.READ) {
      server.pacer.readStarted();
      try {
        open(request);
      } finally {
        server.pacer.readEnded();
      }
    } else {
      awaitReads();
      open(request);
    }
  }

  private void awaitReads() throws IOException {
    try {
      server.pacer.await(System.nanoTime() + server.options.readsFirst().toNanos());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    }
  }

  private void open(FetchRequest request) throws IOException {
    TransferSource source;
    try {
      source =
          server.finder.open(
              request.key(), request.priority() == TransferPriority.READ && !request.exact());
    } catch (RuntimeException failed) {
      error(failed, "fetch");
      return;
    }
    if (source == null) {
      sending("reply");
      channel.write(FrameChannel.ABSENT);
      return;
    }
    try (source) {
      answer(request, source);
    }
  }

  private void answer(FetchRequest request, TransferSource source) throws IOException {
    ValueHeader header = source.header();
    sending("value");
    if (request.exact() && header.version() != request.version()) {
      channel.write(FrameChannel.CHANGED);
    } else if (header.version() < request.version()) {
      channel.write(FrameChannel.ABSENT);
    } else {
      channel.write(FrameChannel.VALUE, 0, header.body());
      sent = 0;
      long bytes = request.available(header.length());
      if (send(source, request.offset(), bytes, request.priority())) {
        server.counters.value(request.priority());
      }
    }
  }

  private boolean send(TransferSource source, long offset, long bytes, TransferPriority priority)
      throws IOException {
    long end = offset + bytes;
    long at = offset;
    while (at < end) {
      int piece = (int) Math.min(end - at, server.options.limits().piece());
      int count;
      try {
        count = gather(source, at, piece);
      } catch (RuntimeException failed) {
        error(failed, "fetch");
        return false;
      }
      if (count == 0) {
        channel.write(FrameChannel.ABSENT);
        return false;
      }
      int length = total(count);
      channel.sendPiece(at, buffers, count);
      server.counters.bytes(priority, length);
      sent += length;
      at += length;
    }
    return true;
  }

  /** Fills the buffers with the bytes of a piece; returns their number, 0 if the value is gone. */
  private int gather(TransferSource source, long offset, int most) {
    int count = 0;
    int gathered = 0;
    while (gathered < most && count < MOST_BUFFERS) {
      ByteBuffer buffer = source.piece(offset + gathered, most - gathered);
      if (!buffer.hasRemaining()) {
        return 0;
      }
      if (buffer.remaining() > most - gathered) {
        throw new IllegalStateException(
            "a source returned '%d' bytes; at most %d were wanted"
                .formatted(buffer.remaining(), most - gathered));
      }
      buffers[count++] = buffer;
      gathered += buffer.remaining();
    }
    return count;
  }

  private int total(int count) {
    int total = 0;
    for (int i = 0; i < count; i++) {
      total += buffers[i].remaining();
    }
    return total;
  }

  private void sending(String what) {
    channel.limit(server.options.times().stall().toNanos(), true, what);
  }

  private void error(RuntimeException failed, String what) throws IOException {
    server.counters.failures.increment();
    FAILURES.log(omitted ->
        LOG.warn(
            "a {} of a node failed remote={} omitted={}", what, channel.peer(), omitted, failed));
    sending("reply");
    channel.write(FrameChannel.ERROR, 0, UntrustedText.of(failed).getBytes(StandardCharsets.UTF_8));
  }
}
