package dev.ebb.host.resp;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import java.util.concurrent.Executor;

/**
 * Event loops that report an OutOfMemoryError to the handler of uncaught exceptions. Netty logs it
 * and goes on with the loops that are left, which serve nobody reliably.
 */
final class EventLoops extends MultiThreadIoEventLoopGroup {

  EventLoops(int threads, IoHandlerFactory handlers) {
    super(threads, handlers);
  }

  @Override
  protected IoEventLoop newChild(
      Executor executor, IoHandlerFactory ioHandlerFactory, Object... args) {
    return new Loop(this, executor, ioHandlerFactory);
  }

  /** Reports what was caught if it is an OutOfMemoryError. */
  static void report(Throwable caught) {
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
