package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The last block of a prompt is used first, so that it is colder than those before it. */
class RequestOrderTest {

  private final List<String> seen = new ArrayList<>();
  private final BlockCache cache =
      new InlineBlockCache(8, () -> 0, new GhostWindow(16), OnFault.FAIL);

  @Test
  void blocksAreInsertedAndUsedDeepestFirst() {
    cache.install(
        "recorder",
        new CheckedPolicy() {
          @Override
          public Node inserted(Entry entry) {
            seen.add("inserted " + entry.fingerprint());
            return super.inserted(entry);
          }

          @Override
          public void accessed(Node node) {
            seen.add("used");
            super.accessed(node);
          }
        });

    request(1, 2, 3);
    request(1, 2, 4);
    request(5, 6, 7);

    assertThat(cache.policySize()).isEqualTo(7);
    assertThat(seen)
        .containsExactly(
            "inserted 3",
            "inserted 2",
            "inserted 1",
            "inserted 4",
            "used",
            "used",
            "inserted 7",
            "inserted 6",
            "inserted 5");

    request(8, 9);
    assertThat(cache.find(3, 3)).as("the oldest leaf").isNull();
    assertThat(cache.find(4, 4)).as("a newer leaf").isNotNull();
  }

  private void request(long... keys) {
    CacheRequest request = new CacheRequest();
    request.reset(RequestFacts.UNKNOWN, -1);
    for (long key : keys) {
      request.add(key, key);
    }
    cache.begin(request);
    cache.admit(request);
    cache.finish(request);
  }
}
