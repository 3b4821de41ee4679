package dev.ebb.host.switching;

import dev.ebb.host.config.Configs;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Caches with policies from real JARs, as a process has them, without APIs. */
public final class SwitchBench implements AutoCloseable {

  public final Host host;
  public final CacheSite site;
  public final PolicySwitcher switcher;
  public final PluginReloads reloads;

  SwitchBench(Path home, String settings, List<String> places) {
    this(home, settings, places, null);
  }

  /** The same, with a folder for what policies have learned. */
  SwitchBench(Path home, String settings, List<String> places, @Nullable Path states) {
    Configs.plugins(home);
    host = Host.open(Configs.of(home, settings));
    site = new CacheSite(places);
    switcher =
        new PolicySwitcher(host.pluginHost(), host.policies(), site, new PolicyStates(states));
    reloads =
        new PluginReloads(
            host.pluginHost(), switcher, () -> host.config().eviction().policy().name());
  }

  /** One place. */
  static SwitchBench of(Path home, String settings) {
    return new SwitchBench(home, settings, List.of("default"));
  }

  /** One place, and the defaults. */
  public static SwitchBench of(Path home) {
    return of(home, "");
  }

  @Override
  public void close() {
    switcher.close();
    site.close();
    host.close();
  }
}
