package dev.ebb.host.engine;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.engine.pool.CachedBlock;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.PromptReader;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import dev.ebb.host.engine.sequence.SequenceBlocks;
import dev.ebb.host.errors.UserError;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The cached blocks of an {@link Ebb} for operators, who list, explain, pin and evict them. Nothing
 * here counts as a use. Thread-safe.
 */
public final class CachedBlocks {

  private static final int KEY_DIGITS = 2 * 2 * Long.BYTES;

  private final Engine engine;
  private final BlockEviction eviction;
  private volatile @Nullable PromptReader prompts;

  CachedBlocks(Engine engine) {
    this.engine = engine;
    eviction = new BlockEviction(engine);
  }

  /** A cached block and its device. */
  record Place(DevicePartition partition, CacheEntry entry) {}

  /** Sets the reader of operators' prompts. */
  public void prompts(PromptReader reader) {
    prompts = reader;
  }

  /**
   * Returns the key of the last cached block of a prompt.
   *
   * @param system whether the text is the system message of a chat, and not a whole prompt
   * @param tenant the client whose prompts are meant; null for clients without a name
   * @return empty if nothing of it is cached
   * @throws UserError if this engine cannot read texts
   */
  public Optional<String> find(String text, boolean system, @Nullable String tenant) {
    PromptReader reader = prompts;
    if (reader == null) {
      throw new UserError("this engine cannot read texts; name the block by its key");
    }
    SequenceRequest request = reader.read(text, system, tenant);
    return find(request.namespace(), request.tokens());
  }

  /**
   * Returns the key of the last cached block of a prompt.
   *
   * @param tenant the client whose prompts are meant; null for clients without a name
   * @return empty if nothing of it is cached
   * @throws UserError if this engine does not know the tenant's namespace
   */
  public Optional<String> find(@Nullable String tenant, int... tokens) {
    PromptReader reader = prompts;
    if (reader == null) {
      throw new UserError(
          "this engine serves several models; name that of the tokens with 'model'");
    }
    return find(reader.namespace(tenant), tokens);
  }

  /** Returns the key of a prompt's last cached block; empty if nothing of it is cached. */
  public Optional<String> find(Namespace namespace, int... tokens) {
    KeyChain chain = new KeyChain(namespace, engine.layout().blockTokens());
    chain.add(tokens);
    return engine.locked(() -> {
      int pages =
          engine.partitions.stream().mapToInt(each -> each.cachedPages(chain)).max().orElse(0);
      return pages == 0
          ? Optional.empty()
          : Optional.of(key(chain.low(pages - 1), chain.high(pages - 1)));
    });
  }

  /** Returns cached blocks by prefix of their keys; the cursor is 0, or {@code next} of a page. */
  public CachedBlock.Page page(String prefix, long cursor, int limit) {
    return engine.locked(() -> {
      Function<Place, CachedBlock> view = views();
      List<CachedBlock> found = new ArrayList<>();
      int part = (int) (cursor >>> Integer.SIZE);
      int slot = (int) cursor;
      while (part < engine.partitions.size() && found.size() < limit) {
        DevicePartition partition = engine.partitions.get(part);
        CacheEntry entry = partition.cache.at(slot);
        if (entry != null && key(entry).startsWith(prefix)) {
          found.add(view.apply(new Place(partition, entry)));
        }
        slot++;
        if (slot >= partition.pool.blocks()) {
          part++;
          slot = 0;
        }
      }
      boolean over = part >= engine.partitions.size();
      return new CachedBlock.Page(found, over ? 0 : (long) part << Integer.SIZE | slot);
    });
  }

  public Optional<CachedBlock> get(String key) {
    return engine.locked(() -> places(key).stream().findFirst().map(views()));
  }

  /** Returns the policy's explanation of a block; empty if it has none. */
  public Optional<Explanation> explain(String key) {
    return engine.locked(() ->
        places(key).stream()
            .findFirst()
            .flatMap(place -> Optional.ofNullable(place.partition.cache.explain(place.entry))));
  }

  /** Returns all blocks that operators have pinned. */
  public List<CachedBlock> pinned() {
    return engine.locked(() -> {
      Function<Place, CachedBlock> view = views();
      return engine.partitions.stream()
          .flatMap(each -> each.pins.entries().stream().map(entry -> new Place(each, entry)))
          .map(view)
          .toList();
    });
  }

  /**
   * Pins a block and all before it.
   *
   * @param owner the name of the pin; an existing pin of the owner gets the new end
   * @param time how long; zero without end
   * @return the pinned block; empty if it is not cached
   * @throws UserError if the pin budget is too small
   */
  public Optional<CachedBlock> pin(String key, String owner, Duration time) {
    Instant now = Instant.now();
    Instant end = time.isZero() ? null : now.plus(time);
    return engine.locked(() -> {
      Optional<Place> found = places(key).stream().findFirst();
      found.ifPresent(
          place -> place.partition.pins.pin(place.entry, new CachedBlock.Pin(owner, now, end)));
      return found.map(views());
    });
  }

  /** Removes an owner's pin of a block, or all for null; returns whether there was one. */
  public boolean unpin(String key, @Nullable String owner) {
    return engine.locked(() -> {
      boolean removed = false;
      for (Place place : places(key)) {
        removed |= place.partition.pins.unpin(place.entry, owner);
      }
      return removed;
    });
  }

  /**
   * Removes a block and all behind it, on all devices.
   *
   * @return why some of them stay, empty if none does; null if the block is not cached
   */
  public @Nullable String delete(String key) {
    return engine.locked(() -> {
      List<Place> places = places(key);
      return places.isEmpty() ? null : eviction.remove(places, RemovalCause.DELETED);
    });
  }

  public List<CachedBlock> all() {
    return page("", 0, Integer.MAX_VALUE).blocks();
  }

  /** Removes all blocks of some namespaces, on all devices, as far as nothing uses them. */
  public List<CachedBlock> delete(Predicate<Namespace> chosen) {
    return engine.locked(() -> {
      Function<Place, CachedBlock> view = views();
      List<CachedBlock> removed = new ArrayList<>();
      for (DevicePartition partition : engine.partitions) {
        for (CacheEntry entry : partition.deepestFirst(entry -> isOf(chosen, partition, entry))) {
          CachedBlock block = view.apply(new Place(partition, entry));
          if (eviction.remove(partition, entry, RemovalCause.DELETED)) {
            removed.add(block);
          }
        }
      }
      engine.freed.signalAll();
      return removed;
    });
  }

  /** Removes all blocks that no sequence uses, with operators' pins, also from the disk. */
  public void clear() {
    engine.exclusively(() -> {
      for (DevicePartition each : engine.partitions) {
        List.copyOf(each.pins.entries()).forEach(entry -> each.pins.unpin(entry, null));
        each.deepestFirst(entry -> each.cached.namespace(entry.slot()) != null)
            .forEach(entry -> eviction.remove(each, entry, RemovalCause.DELETED));
      }
      engine.freed.signalAll();
    });
  }

  private static boolean isOf(
      Predicate<Namespace> chosen, DevicePartition partition, CacheEntry entry) {
    Namespace namespace = partition.cached.namespace(entry.slot());
    return namespace != null && chosen.test(namespace);
  }

  /** Evicts a block and all behind it. */
  public CachedBlock.Eviction evict(String key) {
    return eviction.of(() -> places(key));
  }

  /** Evicts blocks of the policy's choice, first on the fullest device. */
  public CachedBlock.Eviction evictBytes(long bytes) {
    return eviction.bytes(bytes);
  }

  /** Evicts so many blocks of the policy's choice, with all their lane groups. */
  public CachedBlock.Eviction evictBlocks(long blocks) {
    return eviction.blocks(blocks);
  }

  /** Evicts until no pool is filled beyond a share of 0 to 1. */
  public CachedBlock.Eviction evictTo(double share) {
    return eviction.to(share);
  }

  /** Returns where a block is cached. */
  private List<Place> places(String key) {
    if (key.length() != KEY_DIGITS || !key.chars().allMatch(HexFormat::isHexDigit)) {
      return List.of();
    }
    long low = HexFormat.fromHexDigitsToLong(key, 0, KEY_DIGITS / 2);
    long high = HexFormat.fromHexDigitsToLong(key, KEY_DIGITS / 2, KEY_DIGITS);
    List<Place> places = new ArrayList<>();
    for (DevicePartition partition : engine.partitions) {
      CacheEntry entry = partition.cache.find(low, high);
      if (entry != null) {
        places.add(new Place(partition, entry));
      }
    }
    return places;
  }

  static String key(CacheEntry entry) {
    return key(entry.fingerprint(), entry.high());
  }

  private static String key(long low, long high) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(low) + hex.toHexDigits(high);
  }

  /** Returns a function that describes blocks, with the users of each counted once for all. */
  private Function<Place, CachedBlock> views() {
    Map<CacheEntry, Integer> users = new HashMap<>();
    engine.partitions.stream()
        .flatMap(engine::sequenceBlocks)
        .flatMap(SequenceBlocks::cachedEntries)
        .forEach(entry -> users.merge(entry, 1, Integer::sum));
    long now = System.nanoTime();
    return place -> view(place, users.getOrDefault(place.entry, 0), now);
  }

  private CachedBlock view(Place place, int users, long now) {
    CacheEntry entry = place.entry;
    return new CachedBlock(
        key(entry),
        place.partition.name(),
        entry.blocks() * engine.unitBytes(),
        entry.depth(),
        (entry.depth() + 1L) * engine.layout().blockTokens(),
        place.partition.cached.namespace(entry.slot()),
        users,
        Duration.ofNanos(now - entry.createdNanos()),
        Duration.ofNanos(now - entry.lastAccessNanos()),
        entry.accesses(),
        place.partition.pins.of(entry),
        entry.tenant());
  }
}
