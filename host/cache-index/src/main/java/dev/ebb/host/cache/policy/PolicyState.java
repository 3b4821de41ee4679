package dev.ebb.host.cache.policy;

import dev.ebb.host.errors.UntrustedText;
import dev.ebb.spi.BlockPolicy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * What a policy has learned.
 *
 * @param format the number of the policy's own format
 * @param bytes what it wrote; not to be changed
 * @param problem why there is none; null if there is one
 */
@SuppressWarnings("ArrayRecordComponent")
public record PolicyState(String policy, int format, byte[] bytes, @Nullable String problem) {

  /** The largest state of a policy. */
  public static final int MOST_BYTES = 4 << 20;

  /** Asks a policy for its state; null if it has nothing to keep. */
  public static @Nullable PolicyState of(String name, BlockPolicy<?> policy) {
    Bounded out = new Bounded();
    int format = 0;
    try {
      format = policy.stateFormat();
      if (format == 0) {
        return null;
      }
      policy.saveState(out);
    } catch (Throwable thrown) {
      return failed(name, format, UntrustedText.of(thrown));
    }
    return out.full
        ? failed(name, format, "it wrote more than %d bytes".formatted(MOST_BYTES))
        : new PolicyState(name, format, out.written.toByteArray(), null);
  }

  private static PolicyState failed(String name, int format, String problem) {
    return new PolicyState(name, format, new byte[0], problem);
  }

  /** Fails when it is full, and stays so: the policy may ignore the failure. */
  private static final class Bounded extends OutputStream {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private boolean full;

    @Override
    public void write(int value) throws IOException {
      reserve(1);
      written.write(value);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      reserve(length);
      written.write(from, offset, length);
    }

    private void reserve(int length) throws IOException {
      full |= length > MOST_BYTES - written.size();
      if (full) {
        throw new IOException("a state has at most %d bytes".formatted(MOST_BYTES));
      }
    }
  }
}
