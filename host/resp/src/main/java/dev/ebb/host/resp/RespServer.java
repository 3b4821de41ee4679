package dev.ebb.host.resp;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.hint.HintLedger;
import dev.ebb.host.limits.MemoryBudget;
import dev.ebb.host.resp.net.EventLoops;
import dev.ebb.host.resp.net.RespStats;
import dev.ebb.host.resp.net.Transport;
import dev.ebb.host.resp.net.UnixSocketFile;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter;
import dev.ebb.host.tls.ServerTls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Accepts RESP clients, and serves a store to them. */
public final class RespServer implements AutoCloseable {

  private static final int SWEEP = 256;
  private static final int LOW_WATER = 1 << 20;
  private static final int HIGH_WATER = 2 << 20;

  private final EventLoopGroup loops;

  /** A connection that is accepted while the server closes is closed too. */
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

  private final Channel listening;
  private final @Nullable Channel unixListening;
  private final @Nullable UnixSocketFile unixFile;
  private final @Nullable ServerTls tls;
  private final Connections connections;
  private volatile boolean draining;

  private RespServer(Transport transport, EventLoopGroup loops, Connections connections) {
    this.loops = loops;
    this.connections = connections;
    RespOptions options = connections.options;
    Path unix = options.unixSocket();
    unixFile = unix == null ? null : UnixSocketFile.prepare(unix);
    ServerTls opened = null;
    try {
      opened = options.tls() == null ? null : ServerTls.open(options.tls(), "ebb.server.tls");
      listening = listen(transport, options.address(), opened);
      unixListening = unixFile == null ? null : listen(transport, unixFile);
    } catch (UserError refused) {
      close(opened);
      close(unixFile);
      throw refused;
    }
    tls = opened;
    var _ =
        loops.scheduleWithFixedDelay(
            () -> connections.store.sweep(SWEEP), 100, 100, TimeUnit.MILLISECONDS);
    long check = connections.checkMillis();
    var _ =
        loops.scheduleWithFixedDelay(
            () -> send(Connection.CHECK), check, check, TimeUnit.MILLISECONDS);
  }

  private Channel listen(
      Transport transport, InetSocketAddress wanted, @Nullable ServerTls encryption) {
    ChannelFuture bound =
        bootstrap(transport.channel(), encryption)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .bind(wanted)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new UserError(
          "cannot listen on '%s:%d': %s; stop the process that listens there, or choose another with --port or ebb.server.port"
              .formatted(
                  wanted.getHostString(), wanted.getPort(), Transport.bindProblem(bound.cause())));
    }
    return bound.channel();
  }

  private Channel listen(Transport transport, UnixSocketFile file) {
    ChannelFuture bound =
        bootstrap(transport.unixChannel(), null)
            .bind(transport.unixAddress().apply(file.bound()))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw file.failure(bound.cause());
    }
    file.publish();
    return bound.channel();
  }

  /** Accepts no client for a second after it failed, for example without a free descriptor. */
  private final class Acceptance extends ChannelInboundHandlerAdapter {

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      EventLoops.report(cause);
      connections.warn("no client accepted", "", String.valueOf(cause.getMessage()));
      ChannelConfig config = context.channel().config();
      config.setAutoRead(false);
      var _ = context.executor().schedule(() -> config.setAutoRead(true), 1, TimeUnit.SECONDS);
    }

    @Override
    public boolean isSharable() {
      return true;
    }
  }

  private ServerBootstrap bootstrap(
      Class<? extends ServerChannel> channel, @Nullable ServerTls encryption) {
    return new ServerBootstrap()
        .group(loops)
        .channel(channel)
        .option(ChannelOption.SO_BACKLOG, 1024)
        .childOption(
            ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(LOW_WATER, HIGH_WATER))
        .handler(new Acceptance())
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel accepted) {
                channels.add(accepted);
                if (encryption != null) {
                  accepted.pipeline().addLast(new SslHandler(encryption.engine()));
                }
                accepted.pipeline().addLast(new Connection(connections));
              }
            });
  }

  public static RespServer start(
      ObjectStore store, RemoteValues remote, RequestRouter router, RespOptions options) {
    return start(store, remote, router, SequenceService.NONE, options, Transport.best());
  }

  static RespServer start(
      ObjectStore store,
      RemoteValues remote,
      RequestRouter router,
      SequenceService sequences,
      RespOptions options,
      Transport transport) {
    EventLoopGroup loops = new EventLoops(options.threads(), transport.handlers());
    try {
      return new RespServer(
          transport, loops, new Connections(store, remote, router, sequences, options));
    } catch (UserError refused) {
      shutDown(loops);
      throw refused;
    }
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) listening.localAddress();
  }

  public boolean encrypted() {
    return tls != null;
  }

  public @Nullable Path unixSocket() {
    return connections.options.unixSocket();
  }

  public MemoryBudget clientMemory() {
    return connections.budget;
  }

  public HintLedger hints() {
    return connections.hints;
  }

  /** Returns whether all event loops execute a task within a time. */
  public boolean answers(Duration within) {
    CountDownLatch answered = new CountDownLatch(connections.options.threads());
    try {
      loops.forEach(loop -> loop.execute(answered::countDown));
      return answered.await(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  public RespStats stats() {
    return new RespStats(
        !draining && listening.isOpen(),
        connections.count(),
        connections.connectionsEver(),
        connections.rejected.sum(),
        connections.evicted.sum(),
        connections.stalled.sum(),
        connections.idle.sum(),
        connections.budget.usedBytes(),
        connections.users.failedLogins(),
        connections.commands.sum(),
        connections.remoteHits.sum(),
        connections.remoteMisses.sum(),
        connections.remoteFailures.sum());
  }

  /** Accepts no more clients, and closes each connection after its current command, or a time. */
  public void drain(Duration grace) {
    draining = true;
    stopListening();
    send(Connection.DRAIN);
    var _ = channels.newCloseFuture().awaitUninterruptibly(grace.toMillis());
  }

  private void send(Object event) {
    channels.forEach(channel -> channel.pipeline().fireUserEventTriggered(event));
  }

  /** Closes every connection. The store is not read afterwards. */
  @Override
  public void close() {
    stopListening();
    channels.close().awaitUninterruptibly();
    connections.users.close();
    shutDown(loops);
  }

  private void stopListening() {
    listening.close().awaitUninterruptibly();
    if (unixListening != null) {
      unixListening.close().awaitUninterruptibly();
    }
    close(unixFile);
    close(tls);
  }

  private static void close(@Nullable UnixSocketFile file) {
    if (file != null) {
      file.close();
    }
  }

  private static void close(@Nullable ServerTls tls) {
    if (tls != null) {
      tls.close();
    }
  }

  private static void shutDown(EventLoopGroup loops) {
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
