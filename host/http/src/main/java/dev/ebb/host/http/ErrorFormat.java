package dev.ebb.host.http;

import java.util.Map;

/** The format of the error documents of a server. */
@FunctionalInterface
public interface ErrorFormat {

  ErrorFormat PLAIN = (status, message) -> Map.of("error", message);

  /** Returns the document of an error, as {@link Json#text} takes it. */
  Object document(int status, String message);
}
