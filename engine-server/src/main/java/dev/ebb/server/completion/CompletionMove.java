package dev.ebb.server.completion;

import dev.ebb.host.engine.sequence.PageExchange;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.server.peer.Moved;
import dev.ebb.server.peer.MovedSequence;
import dev.ebb.server.peer.PeerClient;
import dev.ebb.server.peer.PeerLine;
import dev.ebb.server.peer.PeerMetrics;
import dev.ebb.server.peer.PeerModel;
import dev.ebb.server.peer.PeerStream;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * Moves a completion to another engine. Pages are copied while it runs. Then it is withdrawn from
 * this engine, the other one goes on, and its tokens come back here, where the client's text is
 * made of them. Before the other engine has confirmed, any failure lets the completion go on here
 * as if nothing had happened. After it, it goes on here from the tokens that have come.
 */
final class CompletionMove implements CompletionEngine.Relay {

  private static final Logger LOG = LoggerFactory.getLogger(CompletionMove.class);

  /** The longest wait for the other engine to begin, while nobody computes. */
  private static final Duration CONFIRMED = Duration.ofSeconds(10);

  private static final long ALWAYS = Duration.ofDays(365).toNanos();

  /** So often pages are copied that have become full meanwhile. */
  private static final int ROUNDS = 4;

  private final CompletionEngine<?> engine;
  private final @Nullable PageExchange pages;
  private final PeerClient client;
  private final PeerModel model;
  private final PeerMetrics metrics;
  private final Completion completion;
  private final URI target;
  private volatile boolean cancelled;
  private volatile @Nullable PeerStream stream;

  CompletionMove(
      CompletionEngine<?> engine,
      @Nullable PageExchange pages,
      PeerClient client,
      PeerModel model,
      PeerMetrics metrics,
      Completion completion,
      URI target) {
    this.engine = engine;
    this.pages = pages;
    this.client = client;
    this.model = model;
    this.metrics = metrics;
    this.completion = completion;
    this.target = target;
  }

  /**
   * Moves the completion.
   *
   * @throws HttpException if it goes on here
   */
  Moved run() {
    try {
      return move();
    } catch (IOException failed) {
      throw failed(502, "'%s' has not taken it: %s".formatted(target, failed.getMessage()));
    } catch (CancellationException stopping) {
      throw new HttpException(503, String.valueOf(stopping.getMessage()));
    }
  }

  private HttpException failed(int status, String reason) {
    metrics.refused.increment();
    LOG.warn("sequence not moved id={} to={} reason=\"{}\"", completion.id, target, reason);
    return new HttpException(
        status,
        "the sequence '%d' has not moved, and goes on here: %s".formatted(completion.id, reason));
  }

  private Moved move() throws IOException {
    PeerModel other = client.model(target);
    if (model.isSameEngine(other)) {
      throw failed(409, "'%s' is this engine; name another one".formatted(target));
    }
    String difference = model.difference(other, target);
    if (difference != null) {
      throw failed(409, difference);
    }
    PageCopies copies =
        new PageCopies(
            model.sharesPages(other) ? pages : null, client, target, model, completion, metrics);
    for (int round = 0; round < ROUNDS && copies.copy(engine.between(this::tokens)); round++) {
      // It goes on meanwhile.
    }
    long begun = System.nanoTime();
    MovedSequence sequence = engine.between(this::withdraw);
    if (sequence == null) {
      throw failed(409, "it has ended, or moves already");
    }
    boolean confirmed = false;
    try {
      int[] tokens = tokens();
      copies.copy(tokens);
      PeerStream opened = client.stream(target, PeerClient.SEQUENCES, sequence);
      stream = opened;
      if (cancelled) {
        throw new IOException("its client has disconnected");
      }
      confirm(opened, begun + CONFIRMED.toNanos());
      confirmed = true;
      metrics.movedOut.increment();
      Moved moved =
          new Moved(
              completion.id,
              target.toString(),
              tokens.length,
              copies.copied(),
              copies.bytes(),
              TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
      LOG.info(
          "sequence moved id={} to={} tokens={} blocks={} bytes={} pause-ms={}",
          moved.sequence(),
          target,
          moved.tokens(),
          moved.blocks(),
          moved.bytes(),
          moved.pauseMillis());
      Thread.ofVirtual().name("ebb-relay-" + completion.id).start(() -> relay(opened));
      return moved;
    } finally {
      if (!confirmed) {
        close();
        completion.submit();
      }
    }
  }

  private int[] tokens() {
    int[] tokens = new int[completion.length()];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = completion.token(i);
    }
    return tokens;
  }

  private @Nullable MovedSequence withdraw() {
    if (!engine.withdraw(completion, this)) {
      return null;
    }
    Completion.Origin origin = completion.origin();
    return new MovedSequence(
        model,
        origin.request(),
        origin.chat(),
        origin.owner(),
        completion.options().maxTokens(),
        completion.options().sampling().seed(),
        completion.prompt(),
        completion.answer());
  }

  private void confirm(PeerStream lines, long deadline) throws IOException {
    PeerLine line = lines.next(deadline);
    if (line.computed() == null) {
      throw new IOException(String.valueOf(line.message()));
    }
    completion.start(line.computed());
  }

  /** Takes tokens until the answer is complete; if the other engine fails, it goes on here. */
  private void relay(PeerStream lines) {
    boolean complete = false;
    String reason = "";
    try {
      while (!complete) {
        PeerLine line = lines.next(System.nanoTime() + ALWAYS);
        Integer token = line.token();
        if (line.ended() != null) {
          throw new IOException("it has ended: %s %s".formatted(line.ended(), line.message()));
        }
        complete = token != null && engine.take(completion, token, logprobs(line));
      }
    } catch (IOException
        | IllegalStateException
        | IllegalArgumentException
        | JacksonException failed) {
      reason = String.valueOf(failed.getMessage());
    } finally {
      close();
      if (complete) {
        engine.complete(completion);
      } else {
        goOnHere(reason);
      }
    }
  }

  private void goOnHere(String reason) {
    if (!cancelled) {
      metrics.returned.increment();
      LOG.warn(
          "moved sequence goes on here id={} from={} tokens={} reason=\"{}\"",
          completion.id,
          target,
          completion.length(),
          reason);
    }
    completion.submit();
  }

  private static @Nullable TokenLogprobs logprobs(PeerLine line) {
    return line.logprobs() == null
        ? null
        : OpenAiJson.answer(line.logprobs().toString(), TokenLogprobs.class);
  }

  @Override
  public void cancel() {
    cancelled = true;
    close();
  }

  @Override
  public URI target() {
    return target;
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  private void close() {
    PeerStream open = stream;
    if (open != null) {
      open.close();
    }
  }
}
