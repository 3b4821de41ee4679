package dev.ebb.host.swap;

import dev.ebb.host.config.Configs;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Caches with policies from real JARs, as a process has them, without APIs. */
public final class SwapBench implements AutoCloseable {

  public final Host host;
  public final CacheSite site;
  public final PolicySwaps swaps;
  public final PluginReloads reloads;

  SwapBench(Path home, String settings, List<String> places) {
    this(home, settings, places, null);
  }

  /** The same, with a folder for what policies have learned. */
  SwapBench(Path home, String settings, List<String> places, @Nullable Path states) {
    Configs.plugins(home);
    host = Host.open(Configs.of(home, settings));
    site = new CacheSite(places);
    swaps = new PolicySwaps(host.pluginHost(), host.policies(), site, new PolicyStates(states));
    reloads =
        new PluginReloads(host.pluginHost(), swaps, () -> host.config().eviction().policy().name());
  }

  /** One place. */
  static SwapBench of(Path home, String settings) {
    return new SwapBench(home, settings, List.of("default"));
  }

  /** One place, and the defaults. */
  public static SwapBench of(Path home) {
    return of(home, "");
  }

  @Override
  public void close() {
    swaps.close();
    site.close();
    host.close();
  }
}
