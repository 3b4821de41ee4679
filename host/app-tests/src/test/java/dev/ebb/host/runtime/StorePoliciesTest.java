package dev.ebb.host.runtime;

import dev.ebb.host.config.Configs;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.wiring.Host;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The store of {@code ebb serve}, whose policies run on threads of their own. */
class StorePoliciesTest extends PolicySiteTest {

  private static final int BLOCK = 64 << 10;

  @Override
  protected TestSite start(Path folder, String settings) {
    return new Site(folder, settings);
  }

  private static final class Site implements TestSite {

    private final HostDevice device = new HostDevice();
    private final Host host;
    private final ObjectStore store;
    private final PolicyRuntime policies;

    Site(Path folder, String settings) {
      host = Host.open(Configs.of(folder, settings));
      host.verify();
      store =
          new ObjectStore(
              device,
              StoreOptions.of((long) ENTRIES * BLOCK, Duration.ZERO, 1)
                  .threaded(PolicyRuntime.limits(host.config().eviction()), 64),
              TimeSource.SYSTEM);
      policies =
          PolicyRuntime.start(
              host, store.site(), device.memory(), new SiteConfigAppliers(Map.of(), () -> {}));
    }

    @Override
    public PolicyRuntime policies() {
      return policies;
    }

    @Override
    public boolean use(int key) {
      byte[] name = ("key-" + key).getBytes(StandardCharsets.UTF_8);
      ValueReader reader = store.get(name);
      if (reader != null) {
        reader.close();
        return true;
      }
      try (ValueWriter writer = store.write(name, BLOCK)) {
        writer.write(ByteBuffer.allocate(BLOCK));
        writer.commit(SetOptions.PLAIN);
      }
      return false;
    }

    @Override
    public void close() {
      policies.close();
      store.close();
      host.close();
      device.close();
    }
  }
}
