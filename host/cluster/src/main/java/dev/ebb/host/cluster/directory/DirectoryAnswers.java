package dev.ebb.host.cluster.directory;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for answers of the {@link Directory}, on threads that may wait. */
public final class DirectoryAnswers {

  private static final long TIMEOUT_SECONDS = 15;

  private DirectoryAnswers() {}

  public static <T> T await(CompletableFuture<T> answer) throws InterruptedException {
    try {
      return answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      throw new CompletionException(failed.getCause());
    } catch (TimeoutException late) {
      throw new CompletionException(late);
    }
  }
}
