package dev.ebb.host.transfer;

import dev.ebb.host.transfer.TransferException.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client's connections to one peer. Background fetches use at most half of them. */
final class PeerConnections {

  private final InetSocketAddress peer;
  private final TransferClient client;
  private final Semaphore all;
  private final Semaphore background;
  private final Deque<FrameChannel> idle = new ArrayDeque<>();

  PeerConnections(InetSocketAddress peer, TransferClient client) {
    this.peer = peer;
    this.client = client;
    int most = client.options.limits().perPeer();
    all = new Semaphore(most);
    background = new Semaphore(Math.max(1, most / 2));
  }

  /** Takes an unused connection, or makes one, before a deadline of {@link System#nanoTime}. */
  FrameChannel take(TransferPriority priority, long deadline)
      throws IOException, InterruptedException {
    if (priority == TransferPriority.READ) {
      return take(deadline);
    }
    acquire(background, deadline);
    try {
      return take(deadline);
    } catch (IOException | InterruptedException | RuntimeException | Error failed) {
      background.release();
      throw failed;
    }
  }

  private FrameChannel take(long deadline) throws IOException, InterruptedException {
    acquire(all, deadline);
    try {
      FrameChannel unused = pooled();
      return unused == null ? connected(deadline) : unused;
    } catch (IOException | RuntimeException | Error failed) {
      all.release();
      throw failed;
    }
  }

  private void acquire(Semaphore permits, long deadline) throws IOException, InterruptedException {
    if (!permits.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      throw new IOException(
          "all '%d' connections to the peer are in use"
              .formatted(client.options.limits().perPeer()));
    }
  }

  private @Nullable FrameChannel pooled() {
    while (true) {
      FrameChannel channel;
      synchronized (idle) {
        channel = idle.pollFirst();
      }
      if (channel == null) {
        return null;
      }
      long stall = client.options.times().stall().toNanos();
      if (channel.limit(stall, true, "connection") && channel.usable()) {
        return channel;
      }
      client.watch.remove(channel);
    }
  }

  private FrameChannel connected(long deadline) throws IOException {
    long left = Math.max(1, deadline - System.nanoTime());
    Duration limit = client.options.times().connect();
    Duration timeout = limit.toNanos() < left ? limit : Duration.ofNanos(left);
    FrameChannel channel = new FrameChannel(Link.connect(peer, timeout, client.options.tls()));
    channel.limit(client.options.times().greeting().toNanos(), false, "greeting", deadline);
    client.watch.add(channel);
    try {
      channel.version = client.handshake.client(channel);
    } catch (IOException | RuntimeException failed) {
      client.watch.remove(channel);
      if (failed instanceof PeerException peerFailed
          && peerFailed.reason() == Reason.NOT_ACCEPTED) {
        client.counters.notAccepted.increment();
      }
      throw failed;
    }
    return channel;
  }

  /** Returns a connection after use; it is closed unless its last request was answered wholly. */
  void release(FrameChannel channel, TransferPriority priority, boolean reusable) {
    if (reusable
        && channel.limit(client.options.times().idle().toNanos(), false, "idle connection")) {
      synchronized (idle) {
        idle.addFirst(channel);
      }
    } else {
      client.watch.remove(channel);
    }
    all.release();
    if (priority == TransferPriority.BACKGROUND) {
      background.release();
    }
  }

  /** Forgets unused connections that were closed. */
  void prune() {
    synchronized (idle) {
      idle.removeIf(FrameChannel::closed);
    }
  }
}
