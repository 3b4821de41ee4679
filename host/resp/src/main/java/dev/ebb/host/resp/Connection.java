package dev.ebb.host.resp;

import dev.ebb.host.resp.net.EventLoops;
import dev.ebb.host.resp.session.ProtocolException;
import dev.ebb.host.resp.session.Replies;
import dev.ebb.host.resp.session.Session;
import dev.ebb.host.resp.session.Text;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection. It stops reading while replies wait for a slow reader, so its memory is
 * bounded in both directions.
 */
final class Connection extends ChannelInboundHandlerAdapter {

  /** The event that closes a connection after the current command. */
  static final Object DRAIN = new Object();

  /** The event that closes a connection without progress. */
  static final Object CHECK = new Object();

  /** A client that sends less while the pool holds a part of its value makes no progress. */
  private static final long LEAST_BYTES_PER_SECOND = 1024;

  private static final byte[] TOO_MANY = Text.bytes("-ERR max number of clients reached\r\n");

  private final Connections connections;
  private @Nullable Session session;
  private @Nullable RespParser parser;
  private @Nullable Replies replies;
  private @Nullable Commands commands;
  private @Nullable RemoteAccess remote;
  private @Nullable ReceiveBuffers received;
  private @Nullable ByteBuf unread;
  private boolean working;
  private boolean draining;
  private boolean ending;
  private long activeNanos = System.nanoTime();
  private long progress;
  private long receivedBytes;

  /** The time and {@link #receivedBytes} when the client last sent enough of a value. */
  private long paceNanos = System.nanoTime();

  private long paceReceived;

  Connection(Connections connections) {
    this.connections = connections;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (context.pipeline().get(SslHandler.class) == null) {
      ReceiveBuffers buffers = new ReceiveBuffers(this, context.channel().config());
      context.channel().config().setRecvByteBufAllocator(buffers);
      received = buffers;
    }
    Session opened = connections.opened(context.channel());
    if (opened == null) {
      ending = true;
      var _ =
          context
              .writeAndFlush(Unpooled.wrappedBuffer(TOO_MANY))
              .addListener(ChannelFutureListener.CLOSE);
      return;
    }
    session = opened;
    parser = new RespParser(opened, connections.options.maxValueBytes());
    Replies out = new Replies(context, opened);
    replies = out;
    RemoteAccess access =
        new RemoteAccess(
            connections,
            opened,
            out,
            context.executor(),
            () -> resumed(context),
            cause -> exceptionCaught(context, cause));
    remote = access;
    commands = new Commands(connections, opened, out, access);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    activeNanos = System.nanoTime();
    receivedBytes += bytes.readableBytes();
    if (session != null) {
      session.activeNanos = activeNanos;
    }
    if (ending) {
      bytes.release();
    } else if (received != null && received.inPlace(bytes)) {
      Objects.requireNonNull(parser).placed(bytes.readableBytes());
      bytes.release();
      unread = Unpooled.EMPTY_BUFFER;
    } else if (unread == null) {
      unread = bytes;
    } else {
      ByteBuf joined = context.alloc().buffer(unread.readableBytes() + bytes.readableBytes());
      joined.writeBytes(unread).writeBytes(bytes);
      unread.release();
      bytes.release();
      unread = joined;
    }
    work(context, false);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    work(context, true);
    flush(context);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      work(context, true);
      flush(context);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == DRAIN) {
      draining = true;
      if (unread == null && parser != null && parser.idle() && !ending) {
        Objects.requireNonNull(replies).sendAndClose();
        end();
      }
    } else if (event == CHECK) {
      check();
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  /** Closes the connection if its client has not made progress for too long. */
  private void check() {
    if (session == null || replies == null || parser == null || commands == null) {
      return;
    }
    count();
    if (commands.holdsSharedMemory() || (remote != null && remote.waits())) {
      // Its client reads or writes that memory, however long it takes. Nothing can stop it from
      // that once the memory belongs to another value. Or other nodes have not answered yet.
      activeNanos = System.nanoTime();
      paceNanos = activeNanos;
      return;
    }
    long now = System.nanoTime();
    if (progress != replies.progress()) {
      progress = replies.progress();
      activeNanos = now;
    }
    boolean inPool = parser.holdsValue() || replies.waiting();
    Duration stall =
        inPool ? connections.stallTimeoutInPool() : connections.options.clients().stallTimeout();
    long enough = stall.toMillis() * LEAST_BYTES_PER_SECOND / 1_000;
    if (!parser.holdsValue() || receivedBytes - paceReceived > enough) {
      paceNanos = now;
      paceReceived = receivedBytes;
    }
    boolean within = unread != null || !parser.idle() || replies.waiting();
    Duration passive = Duration.ofNanos(now - activeNanos);
    Duration slow = Duration.ofNanos(now - paceNanos);
    if (within && (exceeds(passive, stall) || exceeds(slow, stall))) {
      connections.close(session, connections.stalled, "no progress for ebb.server.stall-timeout");
    } else if (exceeds(passive, connections.options.clients().idleTimeout())) {
      connections.close(session, connections.idle, "idle for ebb.server.idle-timeout");
    }
  }

  private static boolean exceeds(Duration passive, Duration limit) {
    return limit.isPositive() && passive.compareTo(limit) >= 0;
  }

  private void flush(ChannelHandlerContext context) {
    context.flush();
    count();
  }

  private void count() {
    if (!ending && session != null && parser != null && replies != null) {
      long input = unread == null ? 0 : unread.capacity();
      connections.memory.use(session, parser.usedBytes() + input + replies.usedBytes());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end();
    if (session != null) {
      connections.closed(session);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    EventLoops.report(cause);
    // Otherwise the bytes already read would fail again before the channel is closed.
    ending = true;
    connections.failed(context.channel().remoteAddress(), cause);
    var _ = context.close();
  }

  /**
   * Returns the place for bytes of the current value; null if there is none, or little of it is
   * missing.
   */
  @Nullable ByteBuffer place(int least) {
    return parser == null || unread != null ? null : parser.place(least);
  }

  boolean expectsMore() {
    return parser != null && !parser.idle();
  }

  private void work(ChannelHandlerContext context, boolean send) {
    if (working || ending) {
      return;
    }
    working = true;
    try {
      Replies out = Objects.requireNonNull(replies);
      boolean writable = sent(context, out);
      while (writable && !ending && (proceed() || (done() && next()))) {
        writable = sent(context, out);
      }
      if (!ending) {
        if (send) {
          writable = out.send(true) && context.channel().isWritable();
        }
        context.channel().config().setAutoRead(writable && done());
      }
    } finally {
      working = false;
    }
  }

  /** Sends what the socket accepts; true if nothing is left. */
  private static boolean sent(ChannelHandlerContext context, Replies out) {
    if (out.send(false)) {
      return true;
    }
    context.flush();
    return out.send(false);
  }

  /** Executes the next command; false if none is complete, or it waits for other nodes. */
  private boolean next() {
    ByteBuf in = unread;
    RespParser reader = Objects.requireNonNull(parser);
    if (in == null) {
      return false;
    }
    boolean complete = false;
    try {
      complete = reader.read(in);
      if (complete) {
        count();
        if (!Objects.requireNonNull(session).channel.isOpen()) {
          return false;
        }
        Objects.requireNonNull(commands).run(reader.arguments(), reader.takeValue());
        if (!done() || ending) {
          // Until its reply is complete, its arguments and the input are kept.
          return !ending && !Objects.requireNonNull(remote).waits();
        }
        reader.executed();
      }
    } catch (ProtocolException wrong) {
      Objects.requireNonNull(replies).error(String.valueOf(wrong.getMessage()));
      Objects.requireNonNull(session).leaving = true;
    }
    executed(in, complete);
    return complete;
  }

  private boolean done() {
    return remote == null || remote.done();
  }

  /** Asks for the next part of a reply, as all parts before are sent; false if there is none. */
  private boolean proceed() {
    if (remote == null || !remote.proceed()) {
      return false;
    }
    replied();
    return true;
  }

  /** Goes on after a command that other nodes have answered. */
  private void resumed(ChannelHandlerContext context) {
    if (working || ending) {
      // They answered immediately.
      return;
    }
    replied();
    work(context, true);
    flush(context);
  }

  /** Ends a command that had to wait, if its reply is complete. */
  private void replied() {
    if (done() && !ending) {
      Objects.requireNonNull(parser).executed();
      executed(Objects.requireNonNull(unread), true);
    }
  }

  /** Closes the connection if the last command was the final one, or frees the input. */
  private void executed(ByteBuf in, boolean complete) {
    if (Objects.requireNonNull(session).leaving || (draining && complete)) {
      Objects.requireNonNull(replies).sendAndClose();
      end();
    } else if (!in.isReadable()) {
      in.release();
      unread = null;
    }
  }

  private void end() {
    ending = true;
    if (unread != null) {
      unread.release();
      unread = null;
    }
    if (parser != null) {
      parser.close();
    }
    if (commands != null) {
      commands.close();
    }
    if (replies != null) {
      replies.drop();
    }
  }
}
