package dev.ebb.host.resp.net;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The implementation of sockets: epoll or NIO. */
public record Transport(
    Class<? extends ServerChannel> channel,
    Class<? extends ServerChannel> unixChannel,
    Function<Path, SocketAddress> unixAddress,
    IoHandlerFactory handlers) {

  private static final Logger LOG = LoggerFactory.getLogger(Transport.class);
  private static final Pattern SYSTEM_CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

  public static Transport best() {
    if (Epoll.isAvailable()) {
      return new Transport(
          EpollServerSocketChannel.class,
          EpollServerDomainSocketChannel.class,
          path -> new DomainSocketAddress(path.toFile()),
          EpollIoHandler.newFactory());
    }
    LOG.warn(
        "transport=nio, since native epoll is not available: {}",
        reason(Epoll.unavailabilityCause()));
    return nio();
  }

  public static Transport nio() {
    return new Transport(
        NioServerSocketChannel.class,
        NioServerDomainSocketChannel.class,
        UnixDomainSocketAddress::of,
        NioIoHandler.newFactory());
  }

  /** Returns why a socket could not be bound, without the system call that Netty puts in front. */
  public static String bindProblem(Throwable cause) {
    return SYSTEM_CALL.matcher(String.valueOf(cause.getMessage())).replaceFirst("");
  }

  private static String reason(Throwable cause) {
    Throwable first = cause;
    while (first.getCause() != null) {
      first = first.getCause();
    }
    return String.valueOf(first.getMessage()).lines().findFirst().orElse("");
  }
}
