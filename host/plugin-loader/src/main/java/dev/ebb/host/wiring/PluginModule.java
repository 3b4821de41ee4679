package dev.ebb.host.wiring;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Singleton;
import dev.ebb.host.plugin.PluginHost;

/** The owner of plugins; what it loads is never bound. */
final class PluginModule implements Module {

  @Override
  public void configure(Binder binder) {
    binder.bind(PluginHost.class).in(Singleton.class);
  }
}
