package dev.ebb.server.peer;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.openai.CompletionRequest;

/**
 * A sequence that goes on in another engine. The engine reads the request as its own clients'.
 *
 * @param chat whether the request is for a chat
 * @param owner the tenant of the client's API key; empty if it has none
 * @param maxTokens the most tokens of the answer
 * @param seed the seed of this answer
 * @param prompt its tokens
 * @param answer the tokens so far
 */
@SuppressWarnings("ArrayRecordComponent")
public record MovedSequence(
    PeerModel model,
    CompletionRequest request,
    boolean chat,
    String owner,
    int maxTokens,
    int seed,
    int[] prompt,
    int[] answer) {

  /** Checks what another engine has sent. */
  public MovedSequence {
    requireNonNull(model, "model is null");
    requireNonNull(request, "request is null");
    requireNonNull(owner, "owner is null");
    requireNonNull(prompt, "prompt is null");
    requireNonNull(answer, "answer is null");
    if (prompt.length == 0 || maxTokens <= answer.length) {
      throw new IllegalArgumentException(
          "prompt '%d', answer '%d' of '%d' tokens"
              .formatted(prompt.length, answer.length, maxTokens));
    }
  }
}
