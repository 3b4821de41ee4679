package dev.ebb.host.transfer;

/** Receives the fetches of a server that belong to traced requests, on the server's threads. */
@FunctionalInterface
public interface FetchListener {

  /** Ignores all fetches. */
  FetchListener NONE = (traceparent, nanos, bytes) -> {};

  /**
   * Receives a fetch that has been answered.
   *
   * @param traceparent the trace context that the client node has sent, unchecked
   * @param nanos from the arrival of the request until its last byte was sent
   * @param bytes the bytes of the value that were sent; -1 if this node had none
   */
  void answered(String traceparent, long nanos, long bytes);
}
