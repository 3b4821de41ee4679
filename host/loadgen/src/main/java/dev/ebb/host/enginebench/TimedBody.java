package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.EngineException.Kind;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response, in the pieces in which it arrives, with their times. Reading waits for
 * each piece as long as allowed, while the timeout of the JDK's client ends with the headers.
 */
final class TimedBody implements BodySubscriber<TimedBody>, AutoCloseable {

  /** The longest body, so that no server can fill the heap. */
  static final long MOST_BYTES = 64L << 20;

  /**
   * A part of the body.
   *
   * @param bytes empty at the end of the body
   * @param failure why the connection broke; null if it did not
   */
  record Piece(List<ByteBuffer> bytes, long nanos, @Nullable Throwable failure) {}

  private final BlockingQueue<Piece> arrived = new LinkedBlockingQueue<>();
  private final Duration timeout;
  private Flow.@Nullable Subscription source;
  private long bytes;
  private boolean closed;

  TimedBody(Duration timeout) {
    this.timeout = timeout;
  }

  @Override
  public CompletionStage<TimedBody> getBody() {
    return CompletableFuture.completedFuture(this);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    synchronized (this) {
      source = subscription;
      if (closed) {
        subscription.cancel();
        return;
      }
    }
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> item) {
    long now = System.nanoTime();
    synchronized (this) {
      bytes += item.stream().mapToLong(ByteBuffer::remaining).sum();
      if (closed || bytes > MOST_BYTES) {
        if (source != null) {
          source.cancel();
        }
        arrived.add(new Piece(List.of(), now, tooLong()));
        return;
      }
    }
    if (!item.isEmpty()) {
      arrived.add(new Piece(item, now, null));
    }
  }

  private static EngineException tooLong() {
    return new EngineException(
        Kind.MALFORMED, "sent more than %d MiB for one answer".formatted(MOST_BYTES >> 20));
  }

  @Override
  public void onError(Throwable failed) {
    arrived.add(new Piece(List.of(), System.nanoTime(), failed));
  }

  @Override
  public void onComplete() {
    arrived.add(new Piece(List.of(), System.nanoTime(), null));
  }

  /**
   * Returns the next piece; null at the end of the body.
   *
   * @throws EngineException if none arrives in time, or the connection breaks
   */
  @Nullable Piece next() {
    return next(timeout);
  }

  @Nullable Piece next(Duration limit) {
    Piece piece;
    try {
      piece = arrived.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new EngineException(Kind.CONNECTION, "interrupted");
    }
    if (piece == null) {
      throw new EngineException(Kind.TIMEOUT, "sent nothing more");
    }
    Throwable failed = piece.failure;
    if (failed instanceof EngineException known) {
      throw known;
    }
    if (failed != null) {
      throw new EngineException(
          Kind.INCOMPLETE, "broke the connection: " + String.valueOf(failed.getMessage()));
    }
    return piece.bytes.isEmpty() ? null : piece;
  }

  /** Returns the whole body as text. */
  String text() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Piece piece = next(); piece != null; piece = next()) {
      for (ByteBuffer part : piece.bytes) {
        byte[] copy = new byte[part.remaining()];
        part.get(copy);
        all.writeBytes(copy);
      }
    }
    return all.toString(StandardCharsets.UTF_8);
  }

  /** Ends the connection unless the whole body has arrived. */
  @Override
  public synchronized void close() {
    closed = true;
    if (source != null) {
      source.cancel();
    }
  }
}
