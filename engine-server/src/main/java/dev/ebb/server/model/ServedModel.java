package dev.ebb.server.model;

import java.util.List;

/** A model's vocabulary and chat template. Safe for use by several threads. */
public interface ServedModel {

  /** Returns the number of token ids. */
  int vocabulary();

  /**
   * Returns the tokens of a text, after the model's begin token if it has one.
   *
   * @param special whether special tokens are recognized in the text
   */
  int[] tokenize(String text, boolean special);

  /** Returns the bytes of a token's text; none if it has no text. */
  byte[] piece(int token);

  /** Returns whether a token ends an answer. */
  boolean endsGeneration(int token);

  /** Returns the chat template; empty if the model has none. */
  String chatTemplate();

  /**
   * Returns the prompt of a conversation, by the chat template.
   *
   * @throws IllegalArgumentException if there is no template, or it does not take the messages
   */
  String chatPrompt(List<ChatMessage> messages);
}
