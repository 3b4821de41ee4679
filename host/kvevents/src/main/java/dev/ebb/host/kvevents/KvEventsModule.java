package dev.ebb.host.kvevents;

import com.google.inject.Binder;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.Provider;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.TypeLiteral;
import com.google.inject.multibindings.OptionalBinder;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.store.DiskValues;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.DiskKeyListener;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.key.TokenIndex;
import java.util.Optional;

/** Binds the publisher of KV events, if the configuration enables it. */
public final class KvEventsModule implements Module {

  /** The one module of its kind. */
  public KvEventsModule() {}

  @Override
  public void configure(Binder binder) {
    OptionalBinder.newOptionalBinder(binder, DiskValues.class);
    Provider<Optional<KvEventPublisher>> publisher =
        binder.getProvider(Key.get(new TypeLiteral<Optional<KvEventPublisher>>() {}));
    OptionalBinder.newOptionalBinder(binder, PageListener.class)
        .setBinding()
        .toProvider(
            () -> publisher.get().map(KvEventPublisher::pageListener).orElse(PageListener.NONE));
  }

  @Provides
  @Singleton
  Optional<KvEventPublisher> publisher(
      EbbConfig config, ObjectStore store, Optional<DiskValues> disk, Closer opened) {
    if (!config.server().kvEvents().enabled()) {
      return Optional.empty();
    }
    KvEventPublisher publisher = opened.add(KvEventPublisher.start(config.server().kvEvents()));
    opened.add(() -> store.keyListener(KeyListener.NONE));
    store.keyListener(publisher.listener());
    opened.add(() -> store.tokenIndex(TokenIndex.NONE));
    store.tokenIndex(publisher.index());
    disk.ifPresent(values -> {
      opened.add(() -> values.keyListener(DiskKeyListener.NONE));
      values.keyListener(publisher.diskListener());
    });
    return Optional.of(publisher);
  }
}
