package dev.ebb.host.lifecycle;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes its parts, the last opened first. A failing one does not keep the others open. */
public final class Closer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Closer.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** Adds a part, which is closed before the earlier ones. */
  public <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception failed) {
        LOG.error("could not be closed reason=\"{}\"", failed.toString());
      }
    }
  }
}
