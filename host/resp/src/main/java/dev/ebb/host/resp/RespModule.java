package dev.ebb.host.resp;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.OptionalBinder;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.config.server.ServerConfig.OnFullChoice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.resp.net.Transport;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter;

/**
 * Binds the RESP server, which is on its own unless another module binds {@link RemoteValues},
 * {@link RequestRouter} and {@link SequenceService}.
 */
public final class RespModule implements Module {

  private final RespOptions options;

  public RespModule(RespOptions options) {
    this.options = options;
  }

  @Override
  public void configure(Binder binder) {
    OptionalBinder.newOptionalBinder(binder, RemoteValues.class)
        .setDefault()
        .toInstance(RemoteValues.NONE);
    OptionalBinder.newOptionalBinder(binder, RequestRouter.class)
        .setDefault()
        .toInstance(RequestRouter.NONE);
    OptionalBinder.newOptionalBinder(binder, SequenceService.class)
        .setDefault()
        .toInstance(SequenceService.NONE);
  }

  @Provides
  @Singleton
  RespServer server(
      ObjectStore store,
      RemoteValues remote,
      RequestRouter router,
      SequenceService sequences,
      Closer opened) {
    return opened.add(
        RespServer.start(store, remote, router, sequences, options, Transport.best()));
  }

  /** Fails if the server is open to others without a password, or lacks a socket it needs. */
  public static RespOptions options(EbbConfig config) {
    ServerConfig settings = config.server();
    if (settings.sharedMemory() != null && settings.unixSocket() == null) {
      throw new UserError(
          "ebb.server.shared-memory = '%s' needs a Unix domain socket; set ebb.server.unix-socket"
              .formatted(settings.sharedMemory()));
    }
    return new RespOptions(
        settings.address(),
        settings.unixSocket(),
        settings.listen().tls(),
        settings.listen().secret(),
        settings.users(),
        settings.maxValueBytes(),
        settings.onFull() == OnFullChoice.ERROR,
        settings.threads(),
        settings.clients(),
        config.scheduler().priorities());
  }
}
