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
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.store.DiskValues;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import java.util.Optional;

/** Binds the disk tier, if the configuration has one. */
public final class TierModule implements Module {

  private final DiskTierConfig config;
  private final boolean ofNode;

  /**
   * Binds a tier, or none.
   *
   * @throws UserError if the configuration contradicts itself
   */
  public TierModule(EbbConfig config) {
    this.config = config.diskTier();
    ofNode = config.cluster().enabled();
    if (this.config.isOn()) {
      var _ = TierFiles.options(this.config, "");
    }
  }

  @Override
  public void configure(Binder binder) {
    if (config.isOn()) {
      Provider<Optional<DiskStore>> tier =
          binder.getProvider(Key.get(new TypeLiteral<Optional<DiskStore>>() {}));
      OptionalBinder.newOptionalBinder(binder, DiskValues.class)
          .setBinding()
          .toProvider(() -> tier.get().orElseThrow());
      if (!ofNode) {
        OptionalBinder.newOptionalBinder(binder, RemoteValues.class)
            .setBinding()
            .toProvider(() -> tier.get().orElseThrow());
      }
    }
  }

  @Provides
  @Singleton
  Optional<DiskStore> tier(ObjectStore store, Closer opened) {
    if (!config.isOn()) {
      return Optional.empty();
    }
    DiskStore tier = ofNode ? DiskStore.ofNode(config, store) : DiskStore.open(config, store);
    return Optional.of(opened.add(tier));
  }

  @Provides
  Optional<TierFiles> files(Optional<DiskStore> tier) {
    return tier.map(DiskStore::files);
  }
}
