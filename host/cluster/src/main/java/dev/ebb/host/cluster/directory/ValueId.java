package dev.ebb.host.cluster.directory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

public record ValueId(long high, long low) {

  public static final int BYTES = 16;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  public static ValueId of(byte[] key) {
    try {
      return read(MessageDigest.getInstance("SHA-256").digest(key));
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every JDK has SHA-256", missing);
    }
  }

  public static ValueId read(byte[] bytes) {
    return new ValueId((long) LONGS.get(bytes, 0), (long) LONGS.get(bytes, Long.BYTES));
  }

  public byte[] bytes() {
    byte[] bytes = new byte[BYTES];
    LONGS.set(bytes, 0, high);
    LONGS.set(bytes, Long.BYTES, low);
    return bytes;
  }
}
