package dev.ebb.host.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that a server accepts, each with its owner.
 *
 * @param owners the owner of each token; empty for one that names no owner
 */
public record AccessTokens(Map<String, String> owners) {

  public static final AccessTokens NONE = new AccessTokens(Map.of());

  public AccessTokens {
    owners = Map.copyOf(owners);
  }

  /** Returns one token without an owner, or {@link #NONE}. */
  public static AccessTokens of(@Nullable String token) {
    return token == null ? NONE : new AccessTokens(Map.of(token, ""));
  }

  /** Returns whether a token names its owner. */
  public boolean haveOwners() {
    return owners.values().stream().anyMatch(owner -> !owner.isEmpty());
  }

  boolean isEmpty() {
    return owners.isEmpty();
  }

  /**
   * Returns the owner of a token; null if it is not accepted. Takes equally long for each token.
   */
  @Nullable String owner(byte[] given) {
    String owner = null;
    for (Map.Entry<String, String> token : owners.entrySet()) {
      if (MessageDigest.isEqual(token.getKey().getBytes(UTF_8), given)) {
        owner = token.getValue();
      }
    }
    return owner;
  }

  /** Returns the number of tokens, because their text must not be shown. */
  @Override
  public String toString() {
    return owners.size() + " tokens";
  }
}
