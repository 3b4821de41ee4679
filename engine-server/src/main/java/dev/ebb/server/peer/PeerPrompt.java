package dev.ebb.server.peer;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A prompt whose pages engines copy.
 *
 * @param model that of the sender; its pages must have the same form
 * @param owner the tenant of the client's API key; empty if it has none
 * @param user the tenant that the client names
 * @param salt separates prefixes
 * @param priority larger is more urgent
 * @param tokens the prompt
 * @param first the first page to copy
 * @param most how many pages at most
 */
@SuppressWarnings("ArrayRecordComponent")
public record PeerPrompt(
    PeerModel model,
    String owner,
    @Nullable String user,
    @Nullable String salt,
    int priority,
    int[] tokens,
    int first,
    int most) {

  /** Checks what another engine has sent. */
  public PeerPrompt {
    requireNonNull(model, "model is null");
    requireNonNull(owner, "owner is null");
    requireNonNull(tokens, "tokens is null");
    if (first < 0 || most < 0) {
      throw new IllegalArgumentException("first '%d', most '%d'".formatted(first, most));
    }
  }

  /** Returns the same for other pages. */
  public PeerPrompt pages(int from, int count) {
    return new PeerPrompt(model, owner, user, salt, priority, tokens, from, count);
  }

  /** Returns the same with other tokens. */
  public PeerPrompt of(int... others) {
    return new PeerPrompt(model, owner, user, salt, priority, others, first, most);
  }
}
