package dev.ebb.host.engine;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.wiring.Host;
import java.net.InetSocketAddress;

/**
 * An admin API for an {@link Ebb} with {@code ebb.admin.enabled = true}. The engine finds it with
 * {@code ServiceLoader}; the artifact {@code ebb-admin} has one.
 */
public interface EngineAdmin extends AutoCloseable {

  /**
   * Starts the API of an engine. Called once.
   *
   * @throws UserError if the configured address cannot be used
   */
  InetSocketAddress start(Ebb ebb, Host host);

  @Override
  void close();
}
