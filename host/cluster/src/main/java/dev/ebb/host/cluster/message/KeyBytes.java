package dev.ebb.host.cluster.message;

import java.util.Arrays;

/** A key, compared by its bytes. */
@SuppressWarnings("ArrayRecordComponent")
public record KeyBytes(byte[] bytes) {

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyBytes key && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
