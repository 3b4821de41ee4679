package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.EngineServer.ServerCounters;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.openai.CompletionRequest.Message;
import dev.ebb.host.trace.BlockTokens;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One measurement of a server with OpenAI's API. */
public final class EngineBench {

  private static final int DEFAULT_BLOCK_TOKENS = 16;
  private static final Duration PROGRESS = Duration.ofMillis(100);
  private static final long LONGEST_SLEEP_NANOS = 50_000_000;

  private final EngineClient client;
  private final EngineLoad load;
  private final EngineMessages messages;
  private final TurnQueue queue;
  private final PromptText texts;
  private final @Nullable ChatHistory history;
  private final EngineRecorder recorder = new EngineRecorder();
  private final AtomicReference<@Nullable RuntimeException> bug = new AtomicReference<>();

  private EngineBench(
      EngineClient client,
      EngineLoad load,
      EngineMessages messages,
      TurnQueue queue,
      PromptText texts,
      @Nullable ChatHistory history) {
    this.client = client;
    this.load = load;
    this.messages = messages;
    this.queue = queue;
    this.texts = texts;
    this.history = history;
  }

  /**
   * Sends the requests of a trace and measures the answers.
   *
   * @param trace the requests; not closed
   * @throws UserError if the trace is wrong, or the server cannot be used at all
   */
  public static EngineResult run(
      EngineTarget target, EngineLoad load, String name, TraceCursor trace, Progress progress) {
    int tokens = load.blockTokens() > 0 ? load.blockTokens() : DEFAULT_BLOCK_TOKENS;
    DecodedTrace requests =
        DecodedTrace.decode(
            name,
            trace,
            load.requests(),
            request -> TurnQueue.inputTokens(request, tokens) <= load.maxInputTokens(),
            (ids, from, to) -> {},
            (read, fraction) -> {});
    if (requests.requests() == 0) {
      throw new UserError(
          "--max-input-tokens: no request of '%s' has a prompt of '%d' tokens or less; allow longer ones"
              .formatted(name, load.maxInputTokens()));
    }
    int blockTokens = blockTokens(load, requests);
    try (EngineClient client = new EngineClient(target)) {
      EngineServer server = new EngineServer(target, client);
      String model = server.model();
      EngineMessages messages = new EngineMessages(target.api(), model, load.ignoreEos());
      double wordsPerToken =
          server.wordsPerToken(messages, new PromptText(blockTokens, 1, load.seed()));
      PromptText texts = new PromptText(blockTokens, wordsPerToken, load.seed());
      EngineBench bench =
          new EngineBench(
              client,
              load,
              messages,
              new TurnQueue(requests, blockTokens),
              texts,
              target.api() == EngineTarget.Api.CHAT ? new ChatHistory(texts) : null);
      ServerCounters before = server.counters();
      double seconds = bench.measure(progress, requests.requests());
      return bench.recorder.result(
          target,
          load,
          model,
          name,
          trace.requestsRead() - requests.requests(),
          requests.skippedLines(),
          wordsPerToken,
          seconds,
          server.counters().since(before));
    }
  }

  private static int blockTokens(EngineLoad load, DecodedTrace requests) {
    if (load.blockTokens() > 0) {
      return load.blockTokens();
    }
    long inferred = BlockTokens.of(requests).tokens();
    return inferred == BlockTokens.UNKNOWN ? DEFAULT_BLOCK_TOKENS : (int) inferred;
  }

  private double measure(Progress progress, long requests) {
    long start = System.nanoTime();
    Thread sending = Thread.ofVirtual().start(this::sendAll);
    try {
      while (!sending.join(PROGRESS)) {
        recorder.reportTo(progress, requests);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("the measurement was interrupted");
    }
    RuntimeException failed = bug.get();
    if (failed != null) {
      throw failed;
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /** Sends all requests, and waits for their answers. */
  private void sendAll() {
    try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
      switch (load.pace()) {
        case EngineLoad.Clients clients -> {
          for (int i = 0; i < clients.count(); i++) {
            senders.execute(() -> guarded(this::sendOneByOne));
          }
        }
        case EngineLoad.Rate rate -> {
          SplittableRandom random = new SplittableRandom(load.seed());
          double[] due = {0};
          sendWhenDue(
              senders,
              request -> {
                double now = due[0];
                due[0] -= Math.log1p(-random.nextDouble()) / rate.perSecond();
                return now;
              });
        }
        case EngineLoad.Speed speed ->
            sendWhenDue(senders, request -> request.arrivalNanos() / 1e9 / speed.factor());
      }
    }
  }

  private void sendOneByOne() {
    EngineRequest next = ended() ? null : queue.take();
    while (next != null) {
      sendTurns(next);
      next = ended() ? null : queue.take();
    }
  }

  private boolean ended() {
    return recorder.stopped() || bug.get() != null;
  }

  /** Returns when a request is due, in seconds since the first. */
  private interface Schedule {
    double seconds(EngineRequest request);
  }

  private void sendWhenDue(ExecutorService senders, Schedule schedule) {
    long start = System.nanoTime();
    double first = Double.NaN;
    for (EngineRequest next = queue.next(); next != null; next = queue.next()) {
      EngineRequest request = next;
      double due = schedule.seconds(request);
      first = Double.isNaN(first) ? due : first;
      sleepUntil(start + (long) ((due - first) * 1e9));
      if (ended()) {
        return;
      }
      if (queue.claim(request)) {
        senders.execute(() -> guarded(() -> sendTurns(request)));
      }
    }
  }

  private void sleepUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0 && !ended(); ) {
      LockSupport.parkNanos(Math.min(left, LONGEST_SLEEP_NANOS));
      left = nanos - System.nanoTime();
    }
  }

  /** Keeps what must not happen, so that it ends the measurement and is shown. */
  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException unexpected) {
      bug.compareAndSet(null, unexpected);
    }
  }

  /** Sends a request, then those turns of its conversation that became due meanwhile. */
  private void sendTurns(EngineRequest request) {
    EngineRequest turn = request;
    while (turn != null) {
      if (!ended()) {
        send(turn);
      }
      turn = queue.after(turn);
    }
  }

  private void send(EngineRequest request) {
    ChatHistory chats = history;
    if (chats == null) {
      String body = messages.completion(texts.of(request), maxTokens(request), request.tenant());
      answer(request, body);
      return;
    }
    List<Message> conversation = chats.messages(request);
    String body = messages.chat(conversation, maxTokens(request), request.tenant());
    chats.ended(request, conversation, answer(request, body));
  }

  /** Returns the text of the answer; null if the request failed. */
  private @Nullable String answer(EngineRequest request, String body) {
    recorder.sent(request, maxTokens(request));
    long sent = System.nanoTime();
    try {
      EngineClient.Measured measured = client.stream(body, () -> recorder.begun(request));
      recorder.answered(request, sent, measured.answer(), measured.intervals());
      return measured.answer().text();
    } catch (EngineException failed) {
      recorder.failed(request, failed);
      return null;
    }
  }

  private int maxTokens(EngineRequest request) {
    return request.outputTokens() > 0
        ? (int) Math.min(request.outputTokens(), load.maxTokens())
        : load.maxTokens();
  }

  /** Receives the progress of a measurement. */
  @FunctionalInterface
  public interface Progress {

    /**
     * The state of all requests.
     *
     * @param done requests with an answer or an error
     * @param errors of these, those with an error
     * @param waiting requests that were sent and have no text yet: the server queues or prefills
     *     them
     * @param answering requests whose answer has begun
     * @param requests all requests of the load
     * @param tokens generated tokens of complete answers
     */
    record State(
        double seconds,
        long done,
        long errors,
        long waiting,
        long answering,
        long requests,
        long tokens) {}

    /** Called several times a second. */
    void at(State state);
  }
}
