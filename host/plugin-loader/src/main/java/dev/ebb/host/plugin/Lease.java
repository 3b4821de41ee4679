package dev.ebb.host.plugin;

/** A use of a {@link Generation}, whose classes stay loaded until the last lease is closed. */
@FunctionalInterface
public interface Lease extends AutoCloseable {

  /** Ends the use. Does nothing the second time. */
  @Override
  void close();
}
