package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.KeyParser;
import dev.ebb.host.store.key.Models;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.spi.Demand;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A prompt a, b, c, d whose halves an earlier guess has put in the wrong order. */
class ChainLinkerTest {

  private final Long2ObjectOpenHashMap<ChainedValue> byKey = new Long2ObjectOpenHashMap<>();
  private final List<String> evicted = new ArrayList<>();
  private final InlineBlockCache cache =
      new InlineBlockCache(4, () -> 0, new GhostWindow(1), OnFault.FAIL);
  private final Predecessors predecessors = new Predecessors(4);
  private final ChainLinker linker;
  private final ChainedValue a;
  private final ChainedValue b;
  private final ChainedValue c;
  private final ChainedValue d;

  ChainLinkerTest() {
    Values values = new Values();
    linker = new ChainLinker(values, predecessors, new ChainTree(cache, values));
    cache.onRemoval((entry, cause) -> {
      ChainedValue value = requireNonNull(byKey.get(entry.fingerprint()));
      evicted.add(new String(value.key.bytes(), StandardCharsets.US_ASCII));
    });
    a = value("a");
    b = value("b");
    c = value("c");
    d = value("d");
  }

  private final class Values implements ValueIndex {
    @Override
    public @Nullable ChainedValue at(long low) {
      return byKey.get(low);
    }

    @Override
    public @Nullable ChainedValue inSlot(int slot) {
      return null;
    }

    @Override
    public int slots() {
      return 0;
    }

    @Override
    public void regroup(ChainedValue chunk) {}
  }

  private static final class Value extends ChainedValue {
    private Value(ObjectKey key, CacheEntry its) {
      super(key, 1);
      entry = its;
    }

    @Override
    protected List<ChainedValue> objects() {
      return List.of(this);
    }

    @Override
    protected int weight() {
      return 1;
    }
  }

  private ChainedValue value(String name) {
    KeyParser parser =
        new KeyParser(7, tenant -> 0, List.of(), ChainKeys.ALL, new Models(Map.of()));
    ObjectKey key = parser.parse(name.getBytes(StandardCharsets.US_ASCII));
    cache.reserve(1, RequestFacts.UNKNOWN);
    ChainedValue value =
        new Value(key, cache.insert(key.low(), key.high(), 1, RequestFacts.UNKNOWN));
    byKey.put(key.low(), value);
    return value;
  }

  @BeforeEach
  void guessWrongly() {
    prompt(c, d, a, b);
  }

  /** Links the values of a prompt, deepest used first, as a request that has ended. */
  private void prompt(ChainedValue... chunks) {
    for (int i = 1; i < chunks.length; i++) {
      linker.linkTiled(chunks[i], chunks[i - 1], chunks[0]);
    }
    for (int i = chunks.length - 1; i >= 0; i--) {
      cache.access(requireNonNull(chunks[i].entry), RequestFacts.UNKNOWN);
    }
  }

  @Test
  void aPromptThatShowsTheOrderUndoesAWrongGuess() {
    prompt(a, b, c, d);

    assertThat(a.parent).isNull();
    assertThat(b.parent).isSameAs(a);
    assertThat(c.parent).isSameAs(b);
    assertThat(d.parent).isSameAs(c);
    cache.evict(2, Demand.Reason.MANUAL, RequestFacts.UNKNOWN);
    assertThat(evicted).containsExactly("d", "c");
  }

  @Test
  void aGuessDoesNotUndoWhatLookupsHaveShown() {
    predecessors.stated(a.key.low(), d.key.low());
    predecessors.stated(d.key.low(), c.key.low());

    prompt(a, b, c);

    assertThat(a.parent).isSameAs(d);
    assertThat(d.parent).isSameAs(c);
    assertThat(c.parent).isNull();
  }

  @Test
  void theLinkThatIsCutIsTheFirstOneThatWasGuessed() {
    predecessors.stated(a.key.low(), d.key.low());

    prompt(a, b, c);

    assertThat(a.parent).isSameAs(d);
    assertThat(d.parent).isNull();
    assertThat(c.parent).isSameAs(b);
  }
}
