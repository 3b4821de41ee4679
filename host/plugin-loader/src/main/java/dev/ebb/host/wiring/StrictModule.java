package dev.ebb.host.wiring;

import com.google.inject.AbstractModule;

/** Forbids what makes an injector surprising: just-in-time bindings, proxies, loose annotations. */
final class StrictModule extends AbstractModule {

  @Override
  protected void configure() {
    binder().disableCircularProxies();
    binder().requireExplicitBindings();
    binder().requireExactBindingAnnotations();
    binder().requireAtInjectOnConstructors();
  }
}
