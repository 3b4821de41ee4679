package dev.ebb.host.policy;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Singleton;

/** Binds the strategies by name. */
public final class PolicyModule implements Module {

  /** The one module of its kind. */
  public PolicyModule() {}

  @Override
  public void configure(Binder binder) {
    binder.bind(PolicyFactory.class).in(Singleton.class);
    binder.bind(PolicyCheck.class).in(Singleton.class);
    binder.bind(PolicyDescriptions.class).in(Singleton.class);
  }
}
