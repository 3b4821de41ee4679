package dev.ebb.host.sequences;

import com.google.inject.Binder;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.Provider;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.TypeLiteral;
import com.google.inject.multibindings.OptionalBinder;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.device.Device;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.resp.SequenceService;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.wiring.Host;
import java.util.Optional;

/** Binds the sequences of engines in other processes, if the configuration has memory for them. */
public final class SequencesModule implements Module {

  private final boolean on;

  /**
   * Binds them, or none.
   *
   * @throws UserError if they need memory that clients cannot map
   */
  public SequencesModule(EbbConfig config) {
    ServerConfig server = config.server();
    on = server.sequencesBytes() > 0;
    boolean onGpu = config.pool().device() == PoolDevice.CUDA;
    if (on && (server.unixSocket() == null || (server.sharedMemory() == null && !onGpu))) {
      throw new UserError(
          "ebb.server.sequences.memory = '%s' needs memory that clients map; set ebb.server.unix-socket%s"
              .formatted(
                  ByteSize.exact(server.sequencesBytes()),
                  onGpu ? "" : " and ebb.server.shared-memory, or ebb.pool.device to cuda"));
    }
  }

  @Override
  public void configure(Binder binder) {
    OptionalBinder.newOptionalBinder(binder, PageListener.class)
        .setDefault()
        .toInstance(PageListener.NONE);
    if (on) {
      Provider<Optional<SequenceServer>> server =
          binder.getProvider(Key.get(new TypeLiteral<Optional<SequenceServer>>() {}));
      OptionalBinder.newOptionalBinder(binder, SequenceService.class)
          .setBinding()
          .toProvider(() -> server.get().orElseThrow());
    }
  }

  @Provides
  @Singleton
  SequenceSettings settings(Host host) {
    return new SequenceSettings(host, on);
  }

  @Provides
  @Singleton
  Optional<SequenceServer> server(
      Host host,
      Device device,
      PolicyRuntime policies,
      SequenceSettings settings,
      Optional<TierFiles> disk,
      PageListener pages,
      Closer opened) {
    return on
        ? Optional.of(
            opened.add(
                new SequenceServer(host, device, policies, settings, disk.orElse(null), pages)))
        : Optional.empty();
  }
}
