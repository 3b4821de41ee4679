package dev.ebb.host.wiring;

import com.google.inject.AbstractModule;
import dev.ebb.host.config.EbbConfig;

/** The configuration that was read. */
final class ConfigModule extends AbstractModule {

  private final EbbConfig config;

  ConfigModule(EbbConfig config) {
    this.config = config;
  }

  @Override
  protected void configure() {
    bind(EbbConfig.class).toInstance(config);
  }
}
