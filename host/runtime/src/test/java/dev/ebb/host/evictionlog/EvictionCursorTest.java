package dev.ebb.host.evictionlog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.stats.EvictionRecord;
import org.junit.jupiter.api.Test;

class EvictionCursorTest {

  private final LoggedCache cache = new LoggedCache(10);
  private final EvictionLog log = cache.log();

  @Test
  void readsOnWhereTheLastLookEnded() {
    EvictionCursor cursor = EvictionCursor.atEnd(log);
    cache.evict(3);
    assertThat(cursor.read()).hasSize(3);
    assertThat(cursor.read()).isEmpty();
    cache.evict(1);
    assertThat(cursor.read()).singleElement().extracting(EvictionRecord::name).isEqualTo("key 4");
    assertThat(cursor.missed()).isZero();
  }

  @Test
  void aPlaceIsFoundAgain() {
    EvictionCursor cursor = EvictionCursor.atEnd(log);
    cache.evict(4);
    cursor.read();
    cache.evict(2);
    assertThat(EvictionCursor.at(log, cursor.next()).read())
        .extracting(EvictionRecord::name)
        .containsExactly("key 5", "key 6");
  }

  @Test
  void whatLeftTheLogUnreadIsCounted() {
    EvictionCursor cursor = EvictionCursor.atEnd(log);
    cache.evict(25);
    assertThat(cursor.read()).hasSize(10);
    assertThat(cursor.missed()).isEqualTo(15);
  }

  @Test
  void aPlaceThatTheLogHasNotReachedIsItsEnd() {
    cache.evict(1);
    EvictionCursor cursor = EvictionCursor.at(log, 1_000);
    cache.evict(1);
    assertThat(cursor.read()).hasSize(1);
  }
}
