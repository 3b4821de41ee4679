package dev.ebb.server.completion;

import dev.ebb.host.config.key.Setting;
import dev.ebb.host.http.Reply;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.server.peer.PeerLine;
import dev.ebb.server.peer.PeerStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends the progress of a completion to the engine that it is for. */
final class PeerAnswer implements Reply.Output {

  private final Completion completion;
  private final BlockingQueue<Completion.Event> events;
  private final Runnable started;
  private boolean ended;

  /**
   * Submits a completion.
   *
   * @param started called when its first step begins
   */
  PeerAnswer(Completion completion, BlockingQueue<Completion.Event> events, Runnable started) {
    this.completion = completion;
    this.events = events;
    this.started = started;
    completion.submit();
  }

  @Override
  public void writeTo(OutputStream out) throws IOException, InterruptedException {
    boolean first = true;
    while (!ended) {
      Completion.Event event = events.poll(PeerStream.BEAT.toMillis(), TimeUnit.MILLISECONDS);
      if (first && event instanceof Completion.Started) {
        first = false;
        started.run();
      }
      PeerLine line = line(event);
      out.write(
          ((line == null ? "" : OpenAiJson.text(line)) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }

  private @Nullable PeerLine line(Completion.@Nullable Event event) {
    return switch (event) {
      case null -> null;
      case Completion.Started step -> PeerLine.computed(step.cachedTokens());
      case Completion.Token token ->
          PeerLine.token(
              token.token(), token.logprobs() == null ? null : OpenAiJson.tree(token.logprobs()));
      case Completion.Text text -> null;
      case Completion.Ended end -> {
        ended = true;
        boolean finished = end.reason() == EndReason.FINISHED;
        yield PeerLine.ended(Setting.name(end.reason()), finished ? "" : message(end));
      }
    };
  }

  private static String message(Completion.Ended end) {
    return end.message().isEmpty() ? Setting.name(end.reason()) : end.message();
  }

  @Override
  public void close() {
    completion.cancel();
  }
}
