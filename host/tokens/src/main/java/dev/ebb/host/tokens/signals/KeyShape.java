package dev.ebb.host.tokens.signals;

import dev.ebb.host.pool.DType;

/**
 * The layout of keys in a block: {@code [lane][K|V][token][headDim]}.
 *
 * @param headDim elements of a key, at most 1024
 * @param type the type of an element, one that Ebb can compute with
 */
public record KeyShape(int lanes, int blockTokens, int headDim, DType type) {

  /** The largest head dimension that the kernels' shared memory holds. */
  public static final int MAX_HEAD_DIM = 1024;

  public KeyShape {
    if (lanes < 1 || blockTokens < 1 || headDim < 1 || headDim > MAX_HEAD_DIM) {
      throw new IllegalArgumentException(
          "lanes '%d' and block tokens '%d' must be at least 1, head dimension '%d' from 1 to %d"
              .formatted(lanes, blockTokens, headDim, MAX_HEAD_DIM));
    }
    if (!DType.computable().contains(type)) {
      throw new IllegalArgumentException(
          "type '%s' must be one of %s"
              .formatted(type.name(), DType.computable().stream().map(DType::name).toList()));
    }
  }

  public int rowBytes() {
    return headDim * type.bytes();
  }

  public long blockBytes() {
    return 2L * lanes * blockTokens * rowBytes();
  }
}
