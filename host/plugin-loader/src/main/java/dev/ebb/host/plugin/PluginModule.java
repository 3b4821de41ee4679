package dev.ebb.host.plugin;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Singleton;

/** Binds the owner of plugins; what it loads is never bound. */
public final class PluginModule implements Module {

  /** The one module of its kind. */
  public PluginModule() {}

  @Override
  public void configure(Binder binder) {
    binder.bind(PluginHost.class).in(Singleton.class);
  }
}
