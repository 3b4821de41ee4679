package dev.ebb.testkit;

/** The mistake of what cannot be closed twice. */
final class OnlyOnce implements AutoCloseable {

  private boolean closed;

  @Override
  public void close() {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    closed = true;
  }
}
