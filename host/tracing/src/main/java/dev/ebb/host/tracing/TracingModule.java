package dev.ebb.host.tracing;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.ProvidesIntoSet;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.chain.RequestListener;
import java.util.Optional;

/** Binds the tracing of a process that serves clients, if the configuration has an endpoint. */
public final class TracingModule implements Module {

  public TracingModule() {}

  @Override
  public void configure(Binder binder) {
    // All bindings are provider methods.
  }

  @Provides
  @Singleton
  Optional<Tracing> tracing(EbbConfig config, ObjectStore store, Closer opened) {
    Tracing tracing = Tracing.start(config.tracing());
    if (tracing != null) {
      opened.add(tracing);
      opened.add(() -> store.requestListener(RequestListener.NONE));
      store.requestListener(new RequestSpans(tracing));
    }
    return Optional.ofNullable(tracing);
  }

  /** Starts the tracing too: the admin module asks for all sources, enabled or not. */
  @ProvidesIntoSet
  MetricSource metrics(Optional<Tracing> tracing) {
    return sink -> tracing.ifPresent(each -> each.write(sink));
  }
}
