package dev.ebb.host.transfer;

/** Receives the fetches of a server that belong to traced requests, on the server's threads. */
@FunctionalInterface
public interface FetchListener {

  FetchListener NONE = (traceparent, nanos, bytes) -> {};

  /**
   * Receives an answered fetch, with its unchecked trace context and its time; bytes are -1 for
   * none.
   */
  void answered(String traceparent, long nanos, long bytes);
}
