package dev.ebb.server.completion;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceEnd;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.ScheduledSequence;
import dev.ebb.host.openai.CompletionRequest;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.server.model.TokenText;
import dev.ebb.server.tools.CallTrigger;
import dev.ebb.server.tools.ToolCallParser;
import dev.ebb.server.tools.ToolUse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A completion: its prompt, the answer so far, and the events for the thread of its client. All
 * other methods belong to the engine's thread.
 */
public abstract class Completion extends ScheduledSequence implements AutoCloseable {

  /** The progress of one of the completions of a request. */
  public sealed interface Event permits Started, Text, Token, Ended {
    /** Returns its number. */
    int index();
  }

  /**
   * The first step has begun; with {@link #reportProgress}, any step.
   *
   * @param cachedTokens tokens of the prompt that need not be computed
   */
  record Started(int index, int cachedTokens) implements Event {}

  /**
   * A part of the answer.
   *
   * @param logprobs those of the tokens since the part before; empty if the client wants none
   */
  record Text(int index, String text, List<TokenLogprobs> logprobs) implements Event {}

  /**
   * The next token, in place of text, of a completion that goes on for another engine.
   *
   * @param logprobs its probability; null if the client wants none
   */
  record Token(int index, int token, @Nullable TokenLogprobs logprobs) implements Event {}

  /**
   * The last event.
   *
   * @param message explains a refusal or failure
   * @param stopped whether an end token or a stop text has ended the answer
   * @param tokenIds the same tokens; null if the client has not asked for them
   * @param cache what the prefix cache has done for it
   * @param latencyNanos from its arrival until its last token; -1 if it is not complete
   */
  record Ended(
      int index,
      EndReason reason,
      String message,
      boolean stopped,
      int tokens,
      @Nullable List<Integer> tokenIds,
      CacheUse cache,
      long latencyNanos)
      implements Event {}

  /**
   * The request that a completion answers, so that another engine can go on with it.
   *
   * @param owner the tenant of its API key; empty if there is none
   * @param namespace that of its prefixes
   */
  record Origin(CompletionRequest request, boolean chat, String owner, Namespace namespace) {}

  private final CompletionOptions options;
  private final int promptTokens;
  private final TokenText decoder = new TokenText();

  /** Text that is not sent yet, because a stop text may begin with it. */
  private final StringBuilder pending = new StringBuilder();

  /** The text that was sent, in which calls of functions are found. */
  private final StringBuilder sent = new StringBuilder();

  /** Those of the tokens whose text is not sent yet. */
  private List<TokenLogprobs> logprobs = new ArrayList<>();

  private final int index;
  private final BlockingQueue<Event> events;
  private final @Nullable CallTrigger trigger;

  private boolean started;
  private boolean reportsProgress;
  private boolean stopped;
  private int answerTokens;

  /** Whether it goes on for another engine, which gets tokens and sends the text. */
  private boolean forPeer;

  private @Nullable Origin origin;

  /** Its number in this engine. */
  long id;

  /** The time of its arrival. */
  final long arrivedNanos = System.nanoTime();

  /**
   * Creates a completion.
   *
   * @param index its number among those of the request
   */
  protected Completion(
      SequenceRequest prompt, CompletionOptions options, int index, BlockingQueue<Event> events) {
    super(prompt);
    this.options = options;
    this.index = index;
    this.events = events;
    promptTokens = prompt.length();
    ToolUse tools = options.tools();
    boolean free = options.sampling().grammar() == null;
    trigger = tools == null || !free ? null : CallTrigger.of(tools);
  }

  /** Submits it to its engine. */
  protected abstract void submit();

  /** Cancels it, unless it has ended. */
  protected abstract void cancel();

  /**
   * Limits the following tokens to those that a grammar allows: the model has begun a call.
   *
   * @param grammar in GBNF
   */
  protected abstract void constrain(String grammar);

  /**
   * Reports a token of the answer that another engine has chosen.
   *
   * @throws IllegalStateException if the format of the answer does not allow it
   */
  protected abstract void chosen(int token);

  /** Returns whether another engine draws the same tokens, by the seed and the answer so far. */
  protected abstract boolean repeatsDraws();

  /** Returns the grammar of calls that the model may begin without being asked; null for none. */
  protected final @Nullable String callGrammar() {
    return trigger == null ? null : trigger.grammar();
  }

  /** Returns the tokens of the prompt. */
  protected final int[] prompt() {
    return IntStream.range(0, promptTokens).map(this::token).toArray();
  }

  /** Returns the options. */
  public final CompletionOptions options() {
    return options;
  }

  /** Returns the length of the prompt. */
  public final int promptTokens() {
    return promptTokens;
  }

  /**
   * Reports that the first step begins.
   *
   * @param cachedTokens tokens of the prompt that need not be computed
   */
  public final void start(int cachedTokens) {
    if (!started || reportsProgress) {
      started = true;
      events.add(new Started(index, cachedTokens));
    }
  }

  /** Reports each step, with the tokens of the prompt that are computed before it. */
  final void reportProgress() {
    reportsProgress = true;
  }

  final void origin(Origin known) {
    origin = known;
  }

  final Origin origin() {
    return requireNonNull(origin, "no client has sent it");
  }

  /** Returns the number of tokens of the answer. */
  final int answerTokens() {
    return answerTokens;
  }

  /** Returns the tokens of the answer. */
  final int[] answer() {
    return IntStream.range(promptTokens, promptTokens + answerTokens).map(this::token).toArray();
  }

  /** Returns why no other engine can go on with it; null if one can. */
  final @Nullable String obstacle() {
    if (origin == null) {
      return "it computes for another engine";
    }
    return origin.request().seed() == null || repeatsDraws()
        ? null
        : "it draws with a seed and with top_p, top_k or a format, whose draws cannot be counted";
  }

  /**
   * Goes on for another engine, to which it sends tokens.
   *
   * @param answer the tokens so far
   * @param pieces their texts, by token
   * @throws IllegalStateException if the format of the answer does not allow them
   */
  final void goOn(int[] answer, byte[][] pieces) {
    forPeer = true;
    for (int token : answer) {
      chosen(token);
      generated(token);
      if (isComplete(pieces[token], false)) {
        throw new IllegalStateException("the answer is complete");
      }
    }
  }

  /**
   * Takes the next token.
   *
   * @param end whether it ends an answer
   * @return whether the answer is complete
   */
  boolean take(int token, byte[] piece, boolean end) {
    generated(token);
    if (forPeer) {
      events.add(new Token(index, token, logprobs.isEmpty() ? null : logprobs.removeLast()));
    }
    boolean complete = isComplete(piece, end);
    if (complete || answerTokens == options.maxTokens()) {
      ends(new SequenceEnd(options.hint(), finishReason(), options.returnAfter()));
    }
    return complete;
  }

  private String finishReason() {
    ToolUse tools = options.tools();
    if (!stopped || tools == null || tools.callable().isEmpty()) {
      return stopped ? "stop" : "length";
    }
    ToolCallParser parser = tools.parser();
    parser.add(sent.toString() + pending);
    return parser.calls().isEmpty() ? "stop" : "tool_calls";
  }

  private boolean isComplete(byte[] piece, boolean end) {
    if (end) {
      stopped = true;
      return true;
    }
    answerTokens++;
    String text = decoder.add(piece);
    pending.append(text);
    if (trigger != null && trigger.begins(text)) {
      constrain(trigger.grammar());
    }
    int stop = firstStop();
    if (stop >= 0) {
      pending.setLength(stop);
      stopped = true;
      return true;
    }
    send(pending.length() - heldBack());
    return false;
  }

  private int firstStop() {
    int first = -1;
    for (String stop : options.stops()) {
      int at = pending.indexOf(stop);
      first = at >= 0 && (first < 0 || at < first) ? at : first;
    }
    return first;
  }

  /** Returns how many of the last characters could begin a stop text. */
  private int heldBack() {
    int held = 0;
    for (String stop : options.stops()) {
      int length = Math.min(stop.length() - 1, pending.length());
      while (length > held && !stop.startsWith(pending.substring(pending.length() - length))) {
        length--;
      }
      held = Math.max(held, length);
    }
    return held;
  }

  private void send(int length) {
    if (length > 0) {
      add(pending.substring(0, length));
      pending.delete(0, length);
    }
  }

  private void add(String text) {
    if (options.tools() != null) {
      sent.append(text);
    }
    if (!forPeer) {
      events.add(new Text(index, text, logprobs));
    }
    logprobs = new ArrayList<>();
  }

  /** Adds the probabilities of the token that is taken next. */
  void add(TokenLogprobs token) {
    logprobs.add(token);
  }

  /** Reports the end to the client. Later ends are ignored. */
  void end(EndReason reason, String message) {
    end(reason, message, -1);
  }

  /** Reports the end to the client, after a time from its arrival. */
  void end(EndReason reason, String message, long latencyNanos) {
    if (!stopped) {
      pending.append(decoder.end());
    }
    send(pending.length());
    if (!logprobs.isEmpty()) {
      add("");
    }
    events.add(
        new Ended(
            index, reason, message, stopped, answerTokens, tokenIds(), cacheUse(), latencyNanos));
    close();
  }

  private @Nullable List<Integer> tokenIds() {
    return options.returnTokenIds() ? IntStream.of(answer()).boxed().toList() : null;
  }

  /** Frees what the completion needs to choose tokens. Closing twice does nothing. */
  @Override
  public abstract void close();
}
