package dev.ebb.host.cuda;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The one platform thread on which a device's context is current. */
final class CudaThread implements AutoCloseable {

  private final String device;
  private final CudaFailures failures;
  private final ExecutorService executor;

  CudaThread(String device, CudaFailures failures) {
    this.device = device;
    this.failures = failures;
    this.executor =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("ebb-" + device).factory());
  }

  /** Runs a task and waits for it, even if interrupted: its memory must not be released before. */
  void run(Runnable task) {
    call(() -> {
      task.run();
      return true;
    });
  }

  /** Runs a task with a result, unless the device is lost. */
  <T> T call(Callable<T> task) {
    return callAnyway(() -> {
      failures.refuseIfLost();
      return task.call();
    });
  }

  /** Runs a task on a device that may be lost. */
  <T> T callAnyway(Callable<T> task) {
    Future<T> running;
    try {
      running = executor.submit(task);
    } catch (RejectedExecutionException closed) {
      throw new IllegalStateException("device '" + device + "' is closed", closed);
    }
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return running.get();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          throw rethrown(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private RuntimeException rethrown(@Nullable Throwable cause) {
    if (cause instanceof RuntimeException mistake) {
      return mistake;
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("a call of device '" + device + "' failed", cause);
  }

  /** Ends the thread after the queued tasks. */
  @Override
  public void close() {
    executor.shutdown();
  }
}
