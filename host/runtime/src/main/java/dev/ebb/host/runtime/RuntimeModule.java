package dev.ebb.host.runtime;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.wiring.Host;

/** Binds the policy runtime of the bound site. */
public final class RuntimeModule implements Module {

  public RuntimeModule() {}

  @Override
  public void configure(Binder binder) {
    // All bindings are provider methods.
  }

  @Provides
  @Singleton
  PolicyRuntime runtime(
      Host host,
      PolicySite site,
      MemoryMonitor memory,
      SiteConfigAppliers appliers,
      Closer opened) {
    return opened.add(PolicyRuntime.start(host, site, memory, appliers));
  }
}
