package dev.ebb.server.peer;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A line of the answer about a sequence that an engine computes for another one.
 *
 * @param computed how many tokens of the prompt are computed; the first line with it confirms the
 *     sequence
 * @param token the next token of the answer
 * @param logprobs its probability, if the client wants it
 * @param ended how the sequence has ended; the last line
 * @param message explains a failure
 */
public record PeerLine(
    @Nullable Integer computed,
    @Nullable Integer token,
    @Nullable JsonNode logprobs,
    @Nullable String ended,
    @Nullable String message) {

  /** Returns a line about the prompt. */
  public static PeerLine computed(int tokens) {
    return new PeerLine(tokens, null, null, null, null);
  }

  /** Returns a line with a token. */
  public static PeerLine token(int id, @Nullable JsonNode logprobs) {
    return new PeerLine(null, id, logprobs, null, null);
  }

  /** Returns the last line. */
  public static PeerLine ended(String how, String message) {
    return new PeerLine(null, null, null, how, message);
  }
}
