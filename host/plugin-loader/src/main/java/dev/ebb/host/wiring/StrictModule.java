package dev.ebb.host.wiring;

import com.google.inject.Binder;
import com.google.inject.Module;

/** Forbids what makes an injector surprising: just-in-time bindings, proxies, loose annotations. */
final class StrictModule implements Module {

  @Override
  public void configure(Binder binder) {
    binder.disableCircularProxies();
    binder.requireExplicitBindings();
    binder.requireExactBindingAnnotations();
    binder.requireAtInjectOnConstructors();
  }
}
