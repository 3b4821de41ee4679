package dev.ebb.server.completion;

import dev.ebb.host.engine.sequence.ScheduledSequence;
import dev.ebb.host.scheduler.EndReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All answers of a request. If one fails, the request fails. For the thread of the client. */
final class Answers {

  /** A text that can be sent now, after a number of characters of the answer. */
  record Part(Answer answer, int offset, String text, List<TokenLogprobs> logprobs, boolean last) {}

  private final List<Completion> completions = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final BlockingQueue<Completion.Event> events = new LinkedBlockingQueue<>();
  private final int perPrompt;
  private final CompletionSpan span;
  private int open;
  private Completion.@Nullable Ended failure;

  /**
   * Creates no answers.
   *
   * @param perPrompt how many of them follow each other for one prompt
   * @param span ends with them
   */
  Answers(int perPrompt, CompletionSpan span) {
    this.span = span;
    this.perPrompt = perPrompt;
  }

  /** Makes a completion that reports to these. */
  interface Maker {
    Completion make(int index, BlockingQueue<Completion.Event> events);
  }

  void add(CompletionOptions options, Maker maker) {
    completions.add(maker.make(answers.size(), events));
    answers.add(new Answer(answers.size(), options.tools()));
    span.tenant(options.tenant());
    open++;
  }

  void submit() {
    completions.forEach(Completion::submit);
  }

  void cancel() {
    completions.forEach(Completion::cancel);
    span.cancelled(this);
  }

  /** Frees those that were not submitted. */
  void discard() {
    completions.forEach(Completion::close);
  }

  /** Returns the first completion of each prompt. */
  List<Completion> prompts() {
    return prompts(completions);
  }

  List<Answer> all() {
    return answers;
  }

  boolean done() {
    return open == 0 || failure != null;
  }

  Completion.@Nullable Ended failure() {
    return failure;
  }

  /**
   * Takes the next event.
   *
   * @return false if there was none in that time
   */
  boolean await(Duration limit, List<Part> parts) throws InterruptedException {
    switch (events.poll(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      case null -> {
        return false;
      }
      case Completion.Started started ->
          answers.get(started.index()).cachedTokens = started.cachedTokens();
      case Completion.Text text -> {
        Answer answer = answers.get(text.index());
        int offset = answer.length();
        span.firstChunk();
        parts.add(new Part(answer, offset, answer.add(text), text.logprobs(), false));
      }
      case Completion.Token token -> throw new IllegalStateException(token.toString());
      case Completion.Ended ended -> {
        Answer answer = answers.get(ended.index());
        open--;
        failure = ended.reason() == EndReason.FINISHED ? failure : ended;
        parts.add(new Part(answer, answer.length(), answer.end(ended), List.of(), true));
      }
    }
    if (done()) {
      span.ended(this);
    }
    return true;
  }

  /** Returns the tokens of all prompts. */
  int promptTokens() {
    return prompts(completions).stream().mapToInt(Completion::promptTokens).sum();
  }

  /** Returns how many of them were not computed. */
  int cachedTokens() {
    return prompts(answers).stream().mapToInt(answer -> answer.cachedTokens).sum();
  }

  /** Returns what the prefix cache has done for all prompts and answers together. */
  ScheduledSequence.CacheUse cacheUse() {
    return new ScheduledSequence.CacheUse(
        ended(answers)
            .map(ended -> ended.cache().policy())
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null),
        ended(prompts(answers)).mapToInt(ended -> ended.cache().diskTokens()).sum(),
        ended(prompts(answers)).mapToInt(ended -> ended.cache().remoteTokens()).sum(),
        ended(answers).mapToLong(ended -> ended.cache().evictions()).sum());
  }

  /** Returns the longest time from the arrival of a complete answer until its last token. */
  long latencyNanos() {
    return ended(answers).mapToLong(Completion.Ended::latencyNanos).max().orElse(-1);
  }

  private static Stream<Completion.Ended> ended(List<Answer> answers) {
    return answers.stream().map(answer -> answer.ended).filter(Objects::nonNull);
  }

  /** Returns the first one of each prompt. */
  private <T> List<T> prompts(List<T> all) {
    List<T> first = new ArrayList<>();
    for (int i = 0; i < all.size(); i += perPrompt) {
      first.add(all.get(i));
    }
    return first;
  }

  int completionTokens() {
    return answers.stream()
        .mapToInt(answer -> answer.ended == null ? 0 : answer.ended.tokens())
        .sum();
  }
}
