package dev.ebb.host.wiring;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Singleton;
import dev.ebb.host.policy.PolicyCheck;
import dev.ebb.host.policy.PolicyDescriptions;
import dev.ebb.host.policy.PolicyFactory;

/** Strategies by name. */
final class PolicyModule implements Module {

  @Override
  public void configure(Binder binder) {
    binder.bind(PolicyFactory.class).in(Singleton.class);
    binder.bind(PolicyCheck.class).in(Singleton.class);
    binder.bind(PolicyDescriptions.class).in(Singleton.class);
  }
}
