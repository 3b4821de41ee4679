package dev.ebb.host.config;

import com.google.inject.Binder;
import com.google.inject.Module;

/**
 * Binds the configuration, and forbids what makes an injector surprising: just-in-time bindings,
 * proxies, loose annotations.
 */
public final class ConfigModule implements Module {

  private final EbbConfig config;

  /**
   * Binds a configuration.
   *
   * @param config the configuration
   */
  public ConfigModule(EbbConfig config) {
    this.config = config;
  }

  @Override
  public void configure(Binder binder) {
    binder.disableCircularProxies();
    binder.requireExplicitBindings();
    binder.requireExactBindingAnnotations();
    binder.requireAtInjectOnConstructors();
    binder.bind(EbbConfig.class).toInstance(config);
  }
}
