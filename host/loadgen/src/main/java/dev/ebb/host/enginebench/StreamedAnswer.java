package dev.ebb.host.enginebench;

/**
 * A complete answer.
 *
 * @param promptTokens as the server counts them; {@link #UNKNOWN} if it does not report them
 * @param cachedTokens of these, tokens whose K and V were in the cache; or {@link #UNKNOWN}
 * @param completionTokens generated tokens; or {@link #UNKNOWN}
 * @param events events with text, about one for each token
 * @param firstNanos from sending the request to the first text
 * @param lastNanos from sending the request to the last text
 */
record StreamedAnswer(
    String text,
    long promptTokens,
    long cachedTokens,
    long completionTokens,
    long events,
    long firstNanos,
    long lastNanos) {

  static final long UNKNOWN = -1;

  /** Returns the number of generated tokens, or what comes near it. */
  long tokens() {
    return completionTokens == UNKNOWN ? events : completionTokens;
  }
}
