package dev.ebb.host.transfer;

import java.nio.ByteBuffer;

/**
 * Memory for one received value. Its methods are called on the thread that calls {@link
 * TransferClient#fetch} and, for a value in several streams, on threads of the client. None of them
 * uses the memory after {@code fetch} has ended. Bytes are valid only if the result is complete.
 */
public interface TransferSink {

  /**
   * Starts to receive a value. Called again, with another version, if the value changes meanwhile;
   * what was received before is then void.
   *
   * @return false if there is no space for the value, or it is not wanted; {@code fetch} then ends
   */
  boolean begin(ValueHeader header);

  /**
   * Returns memory for some bytes. May be called concurrently for different bytes, and again for
   * bytes that were damaged or cut off.
   *
   * @param offset the first byte, counted from the start of the value
   * @param most the most bytes needed, at least 1
   * @return memory for at least one byte, direct for a transfer without a copy
   */
  ByteBuffer place(long offset, int most);
}
