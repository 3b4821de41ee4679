package dev.ebb.host.transfer;

import dev.ebb.host.transfer.TransferException.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Fetches values from other nodes and sends them messages. One for each node: it keeps connections
 * to each peer. Calls block; they are meant for virtual threads.
 */
public final class TransferClient implements AutoCloseable {

  final TransferOptions options;
  final Handshake handshake;
  final BackgroundPacer pacer;
  final TransferCounters counters = new TransferCounters();
  private final Map<InetSocketAddress, PeerConnections> peers = new ConcurrentHashMap<>();
  final LinkWatch watch = new LinkWatch("ebb-transfer-client-watch", this::eachTime);
  private volatile boolean closed;

  public TransferClient(TransferOptions options) {
    this.options = options;
    handshake = new Handshake(options.secret());
    pacer =
        new BackgroundPacer(
            options.backgroundRate(), options.readsFirst().toNanos(), System::nanoTime);
    watch.start();
  }

  /**
   * Receives a value under a key of up to 1 MiB. Only a complete result has filled the sink. Fails
   * if the peer could not be reached, or failed several times.
   */
  public FetchResult fetch(
      InetSocketAddress peer, byte[] key, FetchOptions fetch, TransferSink sink)
      throws TransferException, InterruptedException {
    if (key.length > TransferOptions.MAX_KEY) {
      throw new IllegalArgumentException(
          "the key has '%d' bytes; at most %d are allowed"
              .formatted(key.length, TransferOptions.MAX_KEY));
    }
    boolean read = fetch.priority() == TransferPriority.READ;
    if (read) {
      pacer.readStarted();
    }
    try {
      return new Fetch(this, peer, key.clone(), fetch, sink).run();
    } catch (TransferException failed) {
      counters.failures.increment();
      throw failed;
    } finally {
      if (read) {
        pacer.readEnded();
      }
    }
  }

  /**
   * Sends a message of up to 16 MiB, at most once, and returns the reply: after an error, the peer
   * may have handled it or not.
   */
  public byte[] call(InetSocketAddress peer, byte[] message, Duration timeout)
      throws TransferException, InterruptedException {
    if (message.length > TransferOptions.MAX_MESSAGE) {
      throw new IllegalArgumentException(
          "the message has '%d' bytes; at most %d are allowed"
              .formatted(message.length, TransferOptions.MAX_MESSAGE));
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    try {
      byte[] reply = called(peer, message, deadline);
      counters.messages.increment();
      return reply;
    } catch (TransferException failed) {
      counters.failures.increment();
      throw failed;
    } catch (IOException failed) {
      interrupted();
      counters.failures.increment();
      throw new TransferException(
          reason(failed, deadline),
          "the call of node '%s' failed: %s".formatted(peer, failed.getMessage()),
          failed);
    }
  }

  private byte[] called(InetSocketAddress peer, byte[] message, long deadline)
      throws IOException, TransferException, InterruptedException {
    PeerConnections connections = connections(peer);
    FrameChannel channel = connections.take(TransferPriority.READ, deadline);
    boolean answered = false;
    try {
      channel.limit(deadline - System.nanoTime(), false, "call");
      channel.write(FrameChannel.MESSAGE, 0, message);
      channel.flush();
      if (!channel.next()) {
        throw new IOException("the peer closed the connection");
      }
      if (channel.type() != FrameChannel.REPLY && channel.type() != FrameChannel.ERROR) {
        throw channel.unexpected();
      }
      byte[] reply = channel.body(TransferOptions.MAX_MESSAGE);
      answered = true;
      if (channel.type() == FrameChannel.ERROR) {
        throw new TransferException(
            Reason.PEER_FAILED,
            "the call of node '%s' failed there: %s"
                .formatted(peer, new String(reply, StandardCharsets.UTF_8)),
            null);
      }
      return reply;
    } finally {
      connections.release(channel, TransferPriority.READ, answered);
    }
  }

  /** Throws if the thread was interrupted, which closes the connection that it used. */
  static void interrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  Reason reason(IOException failed, long deadline) {
    if (closed) {
      return Reason.CLOSED;
    }
    if (System.nanoTime() - deadline >= 0) {
      return Reason.TIMED_OUT;
    }
    return switch (failed) {
      case PeerException peer -> peer.reason();
      case SocketTimeoutException notConnected -> Reason.SILENT;
      default -> Reason.UNREACHABLE;
    };
  }

  PeerConnections connections(InetSocketAddress peer) throws IOException {
    if (closed) {
      throw new IOException("this node's transfer client is closed");
    }
    return peers.computeIfAbsent(peer, address -> new PeerConnections(address, this));
  }

  int connections() {
    return watch.size();
  }

  private void eachTime() {
    peers.values().forEach(PeerConnections::prune);
  }

  /** Closes all connections. Fetches and calls in progress fail. */
  @Override
  public void close() {
    closed = true;
    watch.close();
  }
}
