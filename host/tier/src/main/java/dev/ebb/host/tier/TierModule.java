package dev.ebb.host.tier;

import com.google.inject.Binder;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.Provider;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.TypeLiteral;
import com.google.inject.multibindings.OptionalBinder;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import java.util.Optional;

/** Binds the disk tier, if the configuration has one. */
public final class TierModule implements Module {

  private final DiskTierConfig config;

  /**
   * Binds a tier, or none.
   *
   * @throws UserError if the configuration contradicts itself
   */
  public TierModule(EbbConfig config) {
    this.config = config.diskTier();
    if (this.config.isOn()) {
      if (config.cluster().enabled()) {
        throw new UserError(
            "ebb.tiers.disk.path = '%s' cannot be used by a node of a cluster; remove it, or set ebb.cluster.enabled = false"
                .formatted(DiskStore.names(this.config)));
      }
      var _ = DiskStore.options(this.config);
    }
  }

  @Override
  public void configure(Binder binder) {
    if (config.isOn()) {
      Provider<Optional<DiskStore>> tier =
          binder.getProvider(Key.get(new TypeLiteral<Optional<DiskStore>>() {}));
      OptionalBinder.newOptionalBinder(binder, RemoteValues.class)
          .setBinding()
          .toProvider(() -> tier.get().orElseThrow());
    }
  }

  @Provides
  @Singleton
  Optional<DiskStore> tier(ObjectStore store, Closer opened) {
    return config.isOn()
        ? Optional.of(opened.add(DiskStore.open(config, store)))
        : Optional.empty();
  }
}
