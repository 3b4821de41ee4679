package dev.ebb.host.pool;

/**
 * Thrown when a caller names a block that it cannot have: freed twice, of another pool, or pinned.
 */
public final class BlockMisuseException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  BlockMisuseException(String message) {
    super(message);
  }
}
