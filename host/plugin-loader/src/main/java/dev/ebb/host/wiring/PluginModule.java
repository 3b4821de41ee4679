package dev.ebb.host.wiring;

import com.google.inject.AbstractModule;
import com.google.inject.Singleton;
import dev.ebb.host.plugin.PluginHost;

/** The owner of plugins; what it loads is never bound. */
final class PluginModule extends AbstractModule {

  @Override
  protected void configure() {
    bind(PluginHost.class).in(Singleton.class);
  }
}
