package dev.ebb.host.wiring;

import com.google.inject.AbstractModule;
import com.google.inject.Singleton;
import dev.ebb.host.policy.PolicyCheck;
import dev.ebb.host.policy.PolicyDescriptions;
import dev.ebb.host.policy.PolicyFactory;

/** Strategies by name. */
final class PolicyModule extends AbstractModule {

  @Override
  protected void configure() {
    bind(PolicyFactory.class).in(Singleton.class);
    bind(PolicyCheck.class).in(Singleton.class);
    bind(PolicyDescriptions.class).in(Singleton.class);
  }
}
