package dev.ebb.server.peer;

import dev.ebb.host.errors.ConnectFailures;
import dev.ebb.host.openai.OpenAiJson;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** The lines of an engine's answer as they arrive. Closing disconnects, also during a wait. */
public final class PeerStream implements Flow.Subscriber<String>, AutoCloseable {

  /** A peer writes an empty line at least so often; one that is silent for longer is dead. */
  public static final Duration BEAT = Duration.ofMillis(500);

  private static final Duration SILENCE = Duration.ofSeconds(5);

  /** A line, or the reason why no more come. */
  private record Arrival(@Nullable String line, @Nullable IOException end) {}

  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean closed;

  PeerStream() {}

  @Override
  public void onSubscribe(Flow.Subscription started) {
    subscription = started;
    if (closed) {
      started.cancel();
    } else {
      started.request(Long.MAX_VALUE);
    }
  }

  @Override
  public void onNext(String line) {
    arrivals.add(new Arrival(line, null));
  }

  @Override
  public void onError(Throwable failed) {
    arrivals.add(new Arrival(null, new IOException(reason(failed), failed)));
  }

  private static String reason(Throwable failed) {
    String reason = ConnectFailures.reason(failed);
    return failed instanceof PeerClient.RefusedException
        ? reason
        : "the connection has ended: " + reason;
  }

  @Override
  public void onComplete() {
    arrivals.add(new Arrival(null, new EOFException("the connection was closed")));
  }

  /**
   * Returns the next line that is not empty.
   *
   * @param deadline a value of {@link System#nanoTime}
   * @throws IOException if there is none by then, or the engine is silent or gone
   */
  public PeerLine next(long deadline) throws IOException {
    while (true) {
      Arrival arrival = await(Math.min(SILENCE.toNanos(), deadline - System.nanoTime()));
      if (arrival == null) {
        throw new SocketTimeoutException("no answer in time");
      }
      if (arrival.end != null) {
        throw arrival.end;
      }
      String line = arrival.line;
      if (line != null && !line.isBlank()) {
        try {
          return OpenAiJson.answer(line, PeerLine.class);
        } catch (JacksonException malformed) {
          throw new IOException("the line '%s' is malformed".formatted(line), malformed);
        }
      }
    }
  }

  private @Nullable Arrival await(long nanos) throws IOException {
    try {
      return arrivals.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopping);
    }
  }

  @Override
  public void close() {
    closed = true;
    Flow.Subscription running = subscription;
    if (running != null) {
      running.cancel();
    }
    onComplete();
  }
}
