package dev.ebb.host.engine.request;

import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.cache.index.RequestFacts;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What only the end of a sequence shows, for the eviction policy.
 *
 * @param hint the caller's hint; 0 for that of the {@link SequenceRequest}
 * @param finishReason why the answer ended, such as {@code "stop"}, {@code "length"} or {@code
 *     "tool_calls"}; null if unknown
 * @param returnAfter when the next request with the same prefix is expected; null if unknown
 */
public record SequenceEnd(int hint, @Nullable String finishReason, @Nullable Duration returnAfter) {

  /** No information beyond the request's own. */
  public static final SequenceEnd UNKNOWN = new SequenceEnd(0, null, null);

  public SequenceEnd {
    if (returnAfter != null && returnAfter.isNegative()) {
      throw new IllegalArgumentException(
          "return after '%s' must be at least 0 seconds".formatted(returnAfter));
    }
  }

  public RequestFacts of(RequestFacts facts) {
    return facts.ended(
        hint,
        new RequestEnd(
            finishReason,
            null,
            returnAfter == null ? -1 : TimeUnit.NANOSECONDS.convert(returnAfter)));
  }
}
