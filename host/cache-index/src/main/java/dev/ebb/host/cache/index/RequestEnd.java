package dev.ebb.host.cache.index;

import org.jspecify.annotations.Nullable;

/**
 * What only the end of a request shows.
 *
 * @param finishReason why the answer ended, such as {@code "stop"}, {@code "length"} or {@code
 *     "tool_calls"}; null if unknown
 * @param model the model that answered; null if unknown
 * @param returnNanos when the client expects the next request with the same prefix, counted from
 *     the end of this one; -1 if unknown
 * @param retention how strongly the client asks to keep its blocks; null if it does not
 */
public record RequestEnd(
    @Nullable String finishReason,
    @Nullable String model,
    long returnNanos,
    @Nullable Retention retention) {

  public static final RequestEnd UNKNOWN = new RequestEnd(null, null, -1);

  public RequestEnd(@Nullable String finishReason, @Nullable String model, long returnNanos) {
    this(finishReason, model, returnNanos, null);
  }

  /** Returns this, with what others state where this is unknown. */
  RequestEnd withDefaults(RequestEnd others) {
    return others.equals(UNKNOWN)
        ? this
        : new RequestEnd(
            finishReason == null ? others.finishReason : finishReason,
            model == null ? others.model : model,
            returnNanos < 0 ? others.returnNanos : returnNanos,
            retention == null ? others.retention : retention);
  }
}
