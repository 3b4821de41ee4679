package dev.ebb.host.transfer;

import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.transfer.TransferException.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends a node's values to other nodes and answers their messages. */
public final class TransferServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TransferServer.class);
  private static final long ACCEPT_PAUSE_MILLIS = 100;
  private static final long CLOSE_SECONDS = 5;

  private final ServerSocketChannel listener;
  private final InetSocketAddress address;
  final TransferSource.Finder finder;
  final UnaryOperator<byte[]> handler;
  final FetchListener fetches;
  final TransferOptions options;
  private final Handshake handshake;
  final BackgroundPacer pacer;
  final TransferCounters counters = new TransferCounters();
  private final LinkWatch watch = new LinkWatch("ebb-transfer-server-watch", () -> {});
  private final Thread acceptor = thread("accept", this::accept);
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final Greetings greetings;
  private final LogThrottle refusals = new LogThrottle();
  private final LogThrottle overflows = new LogThrottle();
  private final LogThrottle errors = new LogThrottle();
  private volatile boolean closed;

  private TransferServer(
      ServerSocketChannel listener,
      TransferSource.Finder finder,
      UnaryOperator<byte[]> handler,
      FetchListener fetches,
      TransferOptions options)
      throws IOException {
    this.fetches = fetches;
    this.listener = listener;
    address = (InetSocketAddress) listener.getLocalAddress();
    this.finder = finder;
    this.handler = handler;
    this.options = options;
    handshake = new Handshake(options.secret());
    greetings = new Greetings(options.limits().greetings());
    pacer = new BackgroundPacer(0, options.readsFirst().toNanos(), System::nanoTime);
  }

  public static TransferServer start(
      InetSocketAddress address,
      TransferSource.Finder finder,
      UnaryOperator<byte[]> handler,
      FetchListener fetches,
      TransferOptions options)
      throws IOException {
    TransferServer server =
        new TransferServer(Link.listen(address), finder, handler, fetches, options);
    server.watch.start();
    server.acceptor.start();
    return server;
  }

  public InetSocketAddress address() {
    return address;
  }

  int connections() {
    return watch.size();
  }

  private void accept() {
    while (!closed) {
      try {
        accepted(new FrameChannel(Link.accept(listener, options.tls())));
      } catch (IOException | RuntimeException failed) {
        if (!closed) {
          errors.log(omitted ->
              LOG.warn("cannot accept connections of nodes omitted={}", omitted, failed));
          pause();
        }
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(ACCEPT_PAUSE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void accepted(FrameChannel channel) {
    int most = options.limits().connections();
    if (watch.size() >= most) {
      channel.close();
      overflowed("refused a connection of a node, because there are too many", channel, most);
      return;
    }
    FrameChannel over = greetings.begin(channel);
    if (over != null) {
      watch.remove(over);
      overflowed(
          "closed a connection that has not proved the secret, because there are too many",
          over,
          options.limits().greetings());
    }
    channel.limit(options.times().greeting().toNanos(), false, "greeting");
    watch.add(channel);
    Thread thread = thread(channel.peer(), () -> serve(channel));
    threads.add(thread);
    thread.start();
  }

  private void overflowed(String what, FrameChannel channel, int most) {
    overflows.log(
        omitted -> LOG.warn("{} remote={} max={} omitted={}", what, channel.peer(), most, omitted));
  }

  private static Thread thread(String name, Runnable work) {
    // Not a virtual one: waking it up for each request took twice the CPU time for small values.
    return Thread.ofPlatform().daemon().name("ebb-transfer-" + name).unstarted(work);
  }

  private void serve(FrameChannel channel) {
    try {
      greet(channel);
      new TransferSession(channel, this).run();
    } catch (PeerException faulty) {
      if (faulty.reason() == Reason.NOT_ACCEPTED) {
        refused(channel, faulty);
      } else {
        failed(channel, faulty);
      }
    } catch (IOException broken) {
      LOG.debug("connection of a node ended remote={}", channel.peer(), broken);
    } catch (RuntimeException | Error unexpected) {
      failed(channel, unexpected);
    } finally {
      watch.remove(channel);
      threads.remove(Thread.currentThread());
    }
  }

  private void refused(FrameChannel channel, PeerException stranger) {
    counters.notAccepted.increment();
    refusals.log(omitted ->
        LOG.warn(
            "refused a connection of a node remote={} reason={} omitted={}",
            channel.peer(),
            stranger.getMessage(),
            omitted));
  }

  private void greet(FrameChannel channel) throws IOException {
    try {
      channel.version = handshake.server(channel);
    } finally {
      greetings.end(channel);
    }
  }

  private void failed(FrameChannel channel, Throwable cause) {
    if (closed) {
      return;
    }
    counters.failures.increment();
    errors.log(omitted ->
        LOG.warn(
            "closed a connection of a node remote={} reason={} omitted={}",
            channel.peer(),
            UntrustedText.of(cause),
            omitted));
  }

  /**
   * Closes all connections, and waits up to five seconds for the threads that use values or handle
   * messages. Transfers in progress end without the rest of their bytes.
   */
  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
    } catch (IOException ignored) {
      // The acceptor ends nevertheless.
    }
    watch.close();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    try {
      // Only the acceptor starts the others: after its end there are no new ones.
      acceptor.join();
      for (Thread thread : threads) {
        if (!thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
          LOG.warn(
              "a thread still uses values or handles a message after the transfer server was closed"
                  + " thread={}",
              thread.getName());
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
