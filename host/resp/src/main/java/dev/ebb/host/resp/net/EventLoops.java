package dev.ebb.host.resp.net;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import java.util.concurrent.Executor;

/**
 * Event loops that report an OutOfMemoryError to the handler of uncaught exceptions. Netty would
 * log it and continue with the other loops, which serve no client reliably.
 */
public final class EventLoops extends MultiThreadIoEventLoopGroup {

  public EventLoops(int threads, IoHandlerFactory handlers) {
    super(threads, handlers);
  }

  @Override
  protected IoEventLoop newChild(
      Executor executor, IoHandlerFactory ioHandlerFactory, Object... args) {
    return new Loop(this, executor, ioHandlerFactory);
  }

  public static void report(Throwable caught) {
    if (caught instanceof OutOfMemoryError) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, caught);
    }
  }

  private static final class Loop extends SingleThreadIoEventLoop {

    Loop(EventLoops parent, Executor executor, IoHandlerFactory handlers) {
      super(parent, executor, handlers);
    }

    @Override
    protected void run() {
      try {
        super.run();
      } catch (OutOfMemoryError exhausted) {
        report(exhausted);
        throw exhausted;
      }
    }
  }
}
