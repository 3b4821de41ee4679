package dev.ebb.host.resp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The implementation of sockets: epoll or NIO.
 *
 * @param handlers create the I/O handlers of event loops
 */
record Transport(Class<? extends ServerChannel> channel, IoHandlerFactory handlers) {

  private static final Logger LOG = LoggerFactory.getLogger(Transport.class);

  static Transport best() {
    if (Epoll.isAvailable()) {
      return new Transport(EpollServerSocketChannel.class, EpollIoHandler.newFactory());
    }
    LOG.warn(
        "transport=nio, since native epoll is not available: {}",
        reason(Epoll.unavailabilityCause()));
    return nio();
  }

  static Transport nio() {
    return new Transport(NioServerSocketChannel.class, NioIoHandler.newFactory());
  }

  private static String reason(Throwable cause) {
    Throwable first = cause;
    while (first.getCause() != null) {
      first = first.getCause();
    }
    return String.valueOf(first.getMessage()).lines().findFirst().orElse("");
  }
}
