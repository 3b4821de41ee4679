package dev.ebb.host.engine.request;

import org.jspecify.annotations.Nullable;

/** Reads a text as the engine reads the prompts of its clients, so that operators can name one. */
public interface PromptReader {

  /**
   * Returns the request for a text.
   *
   * @param system whether it is the system message of a chat, and not a whole prompt
   * @param tenant the client whose prompts are meant; null for clients without a name
   */
  SequenceRequest read(String text, boolean system, @Nullable String tenant);

  /** Returns the namespace of a tenant's prompts; null for clients without a name. */
  Namespace namespace(@Nullable String tenant);
}
