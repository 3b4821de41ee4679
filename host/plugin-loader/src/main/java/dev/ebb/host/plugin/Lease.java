package dev.ebb.host.plugin;

/** A use of a {@link Generation}: its classes are not unloaded before the last one is closed. */
@FunctionalInterface
public interface Lease extends AutoCloseable {

  /** Ends the use. Does nothing the second time. */
  @Override
  void close();
}
