package dev.ebb.host.resp;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.ebb.host.config.Addresses;
import dev.ebb.host.config.OnFullChoice;
import dev.ebb.host.config.ServerConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.store.ObjectStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Binds the RESP server. */
public final class RespModule implements Module {

  private final RespOptions options;

  /**
   * Binds a server.
   *
   * @param options where it listens
   */
  public RespModule(RespOptions options) {
    this.options = options;
  }

  @Override
  public void configure(Binder binder) {
    // All bindings are provider methods.
  }

  @Provides
  @Singleton
  RespServer server(ObjectStore store, Closer opened) {
    return opened.add(RespServer.start(store, options));
  }

  /**
   * Checks the configuration of the server.
   *
   * @param settings the configuration
   * @return where it listens
   * @throws UserError if there is no such address, or it is open to others and has no password
   */
  public static RespOptions options(ServerConfig settings) {
    InetAddress bind = Addresses.resolve(settings.bind());
    if (!bind.isLoopbackAddress() && settings.password() == null) {
      throw new UserError(
          "ebb.server.bind = '%s' is open to other machines, which needs a password; set ebb.server.password, or listen on 127.0.0.1"
              .formatted(settings.bind()));
    }
    return new RespOptions(
        new InetSocketAddress(bind, settings.port()),
        settings.unixSocket(),
        settings.password(),
        settings.maxValueBytes(),
        settings.onFull() == OnFullChoice.ERROR,
        settings.threads());
  }
}
