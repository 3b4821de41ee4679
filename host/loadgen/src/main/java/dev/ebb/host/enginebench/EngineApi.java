package dev.ebb.host.enginebench;

import java.util.Locale;

/** The API that requests use. */
public enum EngineApi {
  /** A prompt is one text. */
  COMPLETIONS("/v1/completions"),
  /** A prompt is the messages of a conversation, with the answers of the server. */
  CHAT("/v1/chat/completions");

  private final String path;

  EngineApi(String path) {
    this.path = path;
  }

  String path() {
    return path;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
