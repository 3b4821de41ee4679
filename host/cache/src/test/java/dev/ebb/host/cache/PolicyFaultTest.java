package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.testing.DelegatingPolicy;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Policies that break the contract cost hits, never correctness. */
class PolicyFaultTest {

  @Test
  void aPolicyThatThrowsIsReplacedAndNoEntryIsLost() {
    Lying policy = new Lying(offer -> offer);
    InlineBlockCache cache = filled(policy, OnFault.FALL_BACK);
    policy.throwing = true;

    request(cache, 50);

    assertReplaced(cache);
    PolicyFault fault = requireNonNull(cache.lastFault());
    assertThat(fault).hasMessage("policy 'lying' failed: java.lang.IllegalStateException: broken");
    assertThat(fault.pluginStack()).contains("PolicyFaultTest");
    assertThat(fault.getCause()).isNull();
    // The oldest left, and the residents were handed over in order of their last use.
    assertThat(cache.find(0, 0)).isNull();
    assertThat(cache.find(9, 9)).isNotNull();
  }

  @Test
  void whatAPolicyThrowsIsReportedInBoundedWords() {
    PolicyFault fault =
        PolicyFault.threw("lying", new Error("\u001b\nforged" + "x".repeat(1_000_000)));

    assertThat(fault.getMessage())
        .startsWith("policy 'lying' failed: java.lang.Error: \uFFFD forgedxxx")
        .hasSizeLessThan(600);
    assertThat(fault.pluginStack()).hasSizeLessThan(20_000).doesNotContain("\u001b");
  }

  @Test
  void aThrowWhileEventsAreTakenIsFencedToo() {
    Lying policy = new Lying(offer -> offer);
    InlineBlockCache cache = filled(policy, OnFault.FALL_BACK);
    policy.throwingOnAccess = true;

    request(cache, 3);

    assertReplaced(cache);
  }

  @Test
  void removedEntriesAreNotTaken() {
    BlockCache cache = filled(insistent(), OnFault.FAIL);

    assertThatThrownBy(() -> cache.evictTo(8, Demand.Reason.BACKGROUND))
        .isInstanceOf(PolicyFault.class)
        .hasMessage("policy 'lying' keeps offering a removed entry");
    assertThat(cache.residentBlocks()).isEqualTo(9);
  }

  @Test
  void foreignEntriesAreNotTaken() {
    CacheEntry foreign = new CacheEntry();
    BlockCache cache = filled(new Lying(offer -> foreign), OnFault.FAIL);

    assertThatThrownBy(() -> request(cache, 50))
        .hasMessage("policy 'lying' keeps offering a removed entry");
  }

  @Test
  void anEntryThatWasSetAsideIsNotTakenAgain() {
    BlockCache cache = filled(insistent(), OnFault.FAIL);
    CacheEntry oldest = requireNonNull(cache.find(0, 0));
    cache.pin(oldest);

    assertThatThrownBy(() -> request(cache, 50))
        .hasMessage("policy 'lying' keeps offering an entry that is set aside");
  }

  @Test
  void offeringNothingThoughSomethingCanLeaveIsAFault() {
    BlockCache cache = filled(new Lying(offer -> null), OnFault.FAIL);

    assertThatThrownBy(() -> request(cache, 50))
        .hasMessage("policy 'lying' offers nothing, although 10 of 10 blocks are evictable");
  }

  @Test
  void underNoneAFullCacheAdmitsNothingMore() {
    BlockCache cache = filled(new NoEviction(), OnFault.FAIL);

    request(cache, 50);

    assertThat(cache.residentBlocks()).isEqualTo(10);
    assertThat(cache.notAdmitted()).isEqualTo(1);
    assertThat(cache.find(50, 50)).isNull();
  }

  /** Returns a policy that offers its first victim again and again. */
  private static Lying insistent() {
    List<Entry> seen = new ArrayList<>();
    return new Lying(offer -> {
      seen.add(offer);
      return seen.getFirst();
    });
  }

  private static void assertReplaced(InlineBlockCache cache) {
    assertThat(cache.policyName()).isEqualTo("builtin-lru");
    assertThat(cache.residentBlocks()).isEqualTo(10);
    assertThat(cache.policy().size()).isEqualTo(10);
  }

  private static InlineBlockCache filled(BlockPolicy<?> policy, OnFault onFault) {
    InlineBlockCache cache = new InlineBlockCache(10, () -> 0, new GhostWindow(16), onFault);
    cache.install("lying", policy);
    for (long key = 0; key < 10; key++) {
      request(cache, key);
    }
    return cache;
  }

  private static void request(BlockCache cache, long key) {
    CacheRequest request = new CacheRequest();
    request.reset(RequestFacts.UNKNOWN, 16);
    request.add(key, key);
    cache.begin(request);
    cache.admit(request);
    cache.finish(request);
  }

  /** Oldest first, with a twist in what it offers. */
  private static final class Lying extends DelegatingPolicy<RankedBlockPolicy.Ranked> {
    private final UnaryOperator<@Nullable Entry> twist;
    private boolean throwing;
    private boolean throwingOnAccess;

    Lying(UnaryOperator<@Nullable Entry> twist) {
      super(
          new RankedBlockPolicy() {
            @Override
            protected double rank(Entry entry) {
              return entry.lastAccessTick();
            }
          });
      this.twist = twist;
    }

    @Override
    public void accessed(RankedBlockPolicy.Ranked node) {
      if (throwingOnAccess) {
        throw new IllegalStateException("broken");
      }
      super.accessed(node);
    }

    @Override
    public @Nullable Entry victim(Demand demand) {
      if (throwing) {
        throw new IllegalStateException("broken");
      }
      return twist.apply(super.victim(demand));
    }
  }
}
