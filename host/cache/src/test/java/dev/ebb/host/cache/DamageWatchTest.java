package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.lang.reflect.Field;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records of a cache that other code has changed. */
class DamageWatchTest {

  private static final int ENTRIES = 20;

  private final InlineBlockCache cache =
      new InlineBlockCache(100, () -> 0, new GhostWindow(1), OnFault.FAIL);
  private final PlaceCheck check =
      new PlaceCheck(
          new PolicyPlace("shared", new ReentrantLock(), cache, new AccessListeners(), 1));

  @BeforeEach
  void fill() {
    for (int key = 1; key <= ENTRIES; key++) {
      insert(key);
    }
    cache.link(entry(2), entry(1), 1);
    cache.pin(entry(2));
  }

  private void insert(int key) {
    assertThat(cache.reserve(2, RequestFacts.UNKNOWN)).isTrue();
    cache.insert(key, 7, 2, RequestFacts.UNKNOWN);
  }

  private CacheEntry entry(int key) {
    CacheEntry entry = cache.find(key, 7);
    assertThat(entry).isNotNull();
    return entry;
  }

  @Test
  void findsNothingInACacheThatIsUsed() {
    for (int key = 100; key < 1_000; key++) {
      insert(key);
      assertThat(check.next(0)).isNull();
      assertThat(check.next(0)).isNull();
    }
    cache.unpin(entry(2));
    assertThat(cache.evictTo(0, Demand.Reason.MANUAL)).isPositive();
    assertThat(check.next(0)).isNull();
    assertThat(check.next(0)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"keyLow", "slot", "blocks", "references", "children", "depth"})
  void findsAChangedNumber(String field) {
    damage(entry(1), field, -5);
    assertThat(found()).contains("slot 0", "'shared'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "references"})
  void findsAPossibleNumberThatTheSumsContradict(String field) {
    damage(entry(5), field, 3);
    assertThat(found()).contains("are counted as");
  }

  @Test
  void findsAMissingReference() {
    damage(entry -> entry.lastUse = null);
    assertThat(found()).contains("no last use");
  }

  @Test
  void findsAWrongParent() {
    damage(entry -> entry.parent = new CacheEntry());
    assertThat(found()).contains("a parent that is not resident");
  }

  @Test
  void findsAnEntryThatSeemsToBeGone() {
    damage(entry -> entry.resident = false);
    assertThat(found()).contains("are counted as");
  }

  @Test
  void believesOnlyWhatStays() {
    damage(entry -> entry.depth = -1);
    assertThat(check.next(Long.MAX_VALUE)).isNull();
    damage(entry -> entry.depth = 0);
    assertThat(check.next(0)).isNull();
  }

  @Test
  void theRemovalOfAnEntryWithAnotherKeyEnds() {
    CacheEntry entry = entry(5);
    entry.keyLow = 1L << 60;
    assertThatThrownBy(() -> cache.remove(entry, RemovalCause.DELETED))
        .isInstanceOf(IllegalStateException.class);
  }

  @SuppressWarnings("NullAway")
  private void damage(Consumer<CacheEntry> change) {
    change.accept(entry(5));
  }

  private static void damage(CacheEntry entry, String name, int value) {
    try {
      Field field = CacheEntry.class.getDeclaredField(name);
      if (field.getType() == long.class) {
        field.setLong(entry, value);
      } else {
        field.setInt(entry, value);
      }
    } catch (ReflectiveOperationException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private String found() {
    String found = check.next(0);
    // The sums are compared once nothing happens.
    return String.valueOf(found == null ? check.next(0) : found);
  }
}
