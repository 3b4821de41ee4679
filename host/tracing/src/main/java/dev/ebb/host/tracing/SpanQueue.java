package dev.ebb.host.tracing;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds and sends ended spans in batches, on a thread of its own. Unlike the SDK's batch processor
 * it counts the spans that it drops.
 */
final class SpanQueue implements SpanProcessor {

  private static final Logger LOG = LoggerFactory.getLogger(SpanQueue.class);

  private static final int BATCH = 512;

  /** The longest time in which spans wait for others. */
  private static final long LINGER_MILLIS = 500;

  private static final Duration CLOSING = Duration.ofSeconds(3);

  private final SpanExporter exporter;
  private final URI endpoint;
  private final Duration timeout;
  private final BlockingQueue<Supplier<@Nullable SpanData>> queue;
  private final LongAdder sent = new LongAdder();
  private final LongAdder overflow = new LongAdder();
  private final LongAdder notSent = new LongAdder();
  private final Thread thread;
  private boolean failing;
  private volatile boolean closing;

  SpanQueue(SpanExporter exporter, URI endpoint, int capacity, Duration timeout) {
    this.exporter = exporter;
    this.endpoint = endpoint;
    this.timeout = timeout;
    queue = new ArrayBlockingQueue<>(capacity);
    thread = Thread.ofPlatform().name("ebb-spans").daemon().start(this::run);
  }

  Tracing.Counts counts(long limited) {
    return new Tracing.Counts(sent.sum(), overflow.sum(), limited, notSent.sum(), queue.size());
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {
    // Only ended spans are sent.
  }

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (span.getSpanContext().isSampled()) {
      add(span::toSpanData);
    }
  }

  /** Adds an ended span, which the thread of the queue builds; null if it is not recorded. */
  void add(Supplier<@Nullable SpanData> span) {
    if (!queue.offer(span)) {
      overflow.increment();
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  private void run() {
    List<Supplier<@Nullable SpanData>> batch = new ArrayList<>();
    try {
      while (!closing || !queue.isEmpty()) {
        collect(batch);
        send(batch);
        batch.clear();
      }
    } catch (InterruptedException closed) {
      notSent.add(batch.size());
    }
  }

  private void collect(List<Supplier<@Nullable SpanData>> batch) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS);
    while (batch.size() < BATCH) {
      queue.drainTo(batch, BATCH - batch.size());
      long left = end - System.nanoTime();
      if (left <= 0 || closing || batch.size() == BATCH) {
        return;
      }
      // Not one by one: each wake-up would cost more than the span.
      Thread.sleep(Math.clamp(TimeUnit.NANOSECONDS.toMillis(left), 1, LINGER_MILLIS / 10));
    }
  }

  private void send(List<Supplier<@Nullable SpanData>> batch) throws InterruptedException {
    List<SpanData> spans = batch.stream().map(Supplier::get).filter(Objects::nonNull).toList();
    if (spans.isEmpty()) {
      return;
    }
    // The exporter itself ends after the timeout.
    CompletableResultCode result =
        exporter.export(spans).join(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    (result.isSuccess() ? sent : notSent).add(spans.size());
    if (result.isSuccess() == failing) {
      failing = !failing;
      log(result);
    }
  }

  private void log(CompletableResultCode result) {
    if (failing) {
      LOG.warn(
          "spans cannot be sent endpoint=\"{}\" reason=\"{}\"; ebb_spans_dropped_total counts them",
          endpoint,
          reason(result.getFailureThrowable()));
    } else {
      LOG.info("spans are sent again endpoint=\"{}\"", endpoint);
    }
  }

  private static String reason(@Nullable Throwable failure) {
    Throwable cause = failure == null ? null : failure.getCause();
    return cause == null ? "the collector refused them" : cause.toString();
  }

  @Override
  public CompletableResultCode shutdown() {
    closing = true;
    try {
      if (!thread.join(CLOSING)) {
        thread.interrupt();
        thread.join(CLOSING);
      }
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
    notSent.add(queue.size());
    queue.clear();
    return exporter.shutdown();
  }
}
