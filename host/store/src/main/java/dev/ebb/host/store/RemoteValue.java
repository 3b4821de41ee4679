package dev.ebb.host.store;

/**
 * A value of another node.
 *
 * @param expiresAt wall-clock milliseconds, or {@link ObjectStore#NEVER}
 */
public record RemoteValue(long bytes, long expiresAt) {

  public RemoteValue {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes '%d' is negative".formatted(bytes));
    }
  }
}
