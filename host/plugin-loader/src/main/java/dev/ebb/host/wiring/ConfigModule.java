package dev.ebb.host.wiring;

import com.google.inject.Binder;
import com.google.inject.Module;
import dev.ebb.host.config.EbbConfig;

/** The configuration that was read. */
final class ConfigModule implements Module {

  private final EbbConfig config;

  ConfigModule(EbbConfig config) {
    this.config = config;
  }

  @Override
  public void configure(Binder binder) {
    binder.bind(EbbConfig.class).toInstance(config);
  }
}
