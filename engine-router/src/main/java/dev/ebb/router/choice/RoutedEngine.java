package dev.ebb.router.choice;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ebb.host.http.Json;
import java.util.Set;

/** What the router knows of an engine. The fields belong to its {@link EngineSelector}. */
public final class RoutedEngine {

  /** Whether an engine gets requests. */
  public enum State {
    /** It does. */
    UP,
    /** It does not, because it reports that it is stopping. */
    STOPPING,
    /** It does not, because it cannot be reached, or has not answered yet. */
    DOWN;

    /** Returns the word in documents. */
    @Override
    @JsonValue
    public String toString() {
      return Json.word(this);
    }
  }

  /**
   * The counters of an engine.
   *
   * @param state whether it gets requests
   * @param reason why not; empty if it does
   * @param running requests of this router that it has
   * @param others requests of other clients that it has
   * @param requests requests that were sent to it
   * @param failures those that failed before their answer began
   * @param retries requests that came after another engine had failed or refused them
   * @param promptTokens tokens of prompts that it has answered, as it reports them
   * @param cachedTokens those of them that it had cached, as it reports them
   * @param believedTokens those of them that the router believed to be cached
   * @param believedBlocks blocks that the router believes to be cached now
   * @param believedCapacity the most blocks that the router believes it can cache
   */
  public record Report(
      String url,
      State state,
      String reason,
      Set<String> models,
      int running,
      int others,
      long requests,
      long failures,
      long retries,
      long promptTokens,
      long cachedTokens,
      long believedTokens,
      int believedBlocks,
      int believedCapacity) {}

  final String url;
  final BelievedPrefixes cached;
  State state = State.DOWN;
  String reason = "it has not answered yet";
  Set<String> models = Set.of();
  double startSeconds;
  int running;
  int others;
  double waitingTokens;
  long requests;
  long failures;
  long retries;
  long promptTokens;
  long cachedTokens;
  double believedTokens;

  RoutedEngine(String url, int maxBlocks) {
    this.url = url;
    cached = new BelievedPrefixes(maxBlocks);
  }

  /** Returns the address without a path. */
  public String url() {
    return url;
  }

  Report report() {
    return new Report(
        url,
        state,
        reason,
        models,
        running,
        others,
        requests,
        failures,
        retries,
        promptTokens,
        cachedTokens,
        Math.round(believedTokens),
        cached.size(),
        cached.capacity());
  }

  @Override
  public String toString() {
    return url;
  }
}
