package dev.ebb.spi;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A token policy's view of one sequence. Signals are float32 in row-major order and the platform's
 * byte order. They are valid only during the call and must not be written.
 *
 * <p>All tokens in one view share one length. If a budget makes lengths differ, each layer is its
 * own sequence, or each KV head with the query heads that read it.
 *
 * @since 1.0.0
 */
public interface TokenView {

  /**
   * Returns the model's depth.
   *
   * @return layers
   */
  int layers();

  /**
   * Returns the model's KV heads.
   *
   * @return KV heads a layer
   */
  int kvHeads();

  /**
   * Returns the model's query heads; query head h reads KV head h / (queryHeads / kvHeads).
   *
   * @return query heads a layer
   */
  int queryHeads();

  /**
   * Returns the size of one key.
   *
   * @return dimensions a head
   */
  int headDimension();

  /**
   * Returns the physical length: tokens stored now.
   *
   * @return rows in the buffer
   */
  int length();

  /**
   * Returns the logical position: the position id of the next token, at least the physical length.
   *
   * @return a position
   */
  long position();

  /**
   * Returns the position of a stored token in the text. A token keeps its position while it is
   * stored, and no other token of the sequence ever has it. Its index, in contrast, falls when an
   * older token is dropped.
   *
   * @param layer 0 to {@code layers() - 1}
   * @param kvHead 0 to {@code kvHeads() - 1}; heads may store different tokens
   * @param token its index, 0 to {@code length() - 1}, oldest first
   * @return its position, less than {@link #position()} and rising with the index
   * @throws IndexOutOfBoundsException if there is no such layer, head or token
   * @throws UnsupportedOperationException if this view does not know the positions
   * @since 1.4.0
   */
  default long position(int layer, int kvHead, int token) {
    Objects.checkIndex(layer, layers());
    Objects.checkIndex(kvHead, kvHeads());
    if (position() != length()) {
      throw new UnsupportedOperationException("this view does not know its tokens' positions");
    }
    return Objects.checkIndex(token, length());
  }

  /**
   * Returns how the model rotates queries and keys by their position; the keys in the view are
   * rotated.
   *
   * @return the rotation, the same in all layers
   * @throws IllegalStateException if the policy declared neither {@code QUERY_MEAN} nor {@code
   *     QUERY_COVARIANCE}
   * @throws UnsupportedOperationException if this view does not know the rotation
   */
  default Rotation rotation() {
    throw new UnsupportedOperationException("this view does not know how the model rotates");
  }

  /**
   * Returns a signal the policy declared.
   *
   * @param signal a declared signal
   * @param layer 0 to {@code layers() - 1}
   * @return {@code WINDOW_ATTENTION}: [queryHeads][w][length], w the smaller of the policy's window
   *     and the length, the newest query last; {@code ACCUMULATED_ATTENTION}, {@code KEY_NORM} and
   *     {@code VALUE_NORM}: [kvHeads][length]; {@code STATE}: [kvHeads][length][stateSize]; {@code
   *     KEYS} and {@code VALUES}: [kvHeads][length][headDimension]; {@code KEY_MEAN}:
   *     [kvHeads][headDimension]; {@code QUERY_MEAN}: [queryHeads][headDimension]; {@code
   *     QUERY_COVARIANCE}: [queryHeads][headDimension][headDimension], symmetric. Not necessarily
   *     aligned to 4 bytes
   * @throws IllegalStateException if the policy did not declare it, or the call is over
   * @throws IndexOutOfBoundsException if there is no such layer
   */
  MemorySegment signal(TokenPolicy.Signal signal, int layer);
}
