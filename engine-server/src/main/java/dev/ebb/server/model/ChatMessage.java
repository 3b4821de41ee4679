package dev.ebb.server.model;

import static java.util.Objects.requireNonNull;

/**
 * A message of a conversation.
 *
 * @param role its author, as chat templates name it: {@code system}, {@code user} or {@code
 *     assistant}
 * @param content its text, without the character 0
 */
public record ChatMessage(String role, String content) {

  public ChatMessage {
    requireNonNull(role, "role is null");
    requireNonNull(content, "content is null");
    if (role.indexOf('\0') >= 0 || content.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a chat message contains the character 0");
    }
  }
}
