package dev.ebb.host.client;

import java.util.function.Supplier;

/**
 * The response to a call.
 *
 * @param text the document as the server wrote it
 */
public record Answer<T>(String text, Supplier<T> reader) {

  /** Reads the document. Properties that this client does not know are ignored. */
  public T document() {
    return reader.get();
  }
}
