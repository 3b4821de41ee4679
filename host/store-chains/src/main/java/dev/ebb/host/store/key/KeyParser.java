package dev.ebb.host.store.key;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.stats.NameTable;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.group.ObjectGroups;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Parses keys. Each set of labels is created once: known ones cost a look at the key's bytes and no
 * garbage. Thread-safe.
 */
public final class KeyParser {

  private static final int RECENT = 1 << 10;
  private static final int NO_GROUP = -1;

  /** Keys with longer names of models or tenants are plain keys: each name is kept for ever. */
  static final int LONGEST_NAME = 256;

  /** Makes the hash of a stem different from that of a key with the same bytes. */
  private static final long STEM = 0x5851F42D4C957F2DL;

  /** The same for what the keys of several workers have in common. */
  private static final long SHARD = 0x14057B7EF767814FL;

  /** Labels with the bytes they were parsed from. */
  // The arrays are compared with parts of keys, and never leave this class.
  @SuppressWarnings("ArrayRecordComponent")
  private record Seen(
      byte[] model, byte[] group, byte[] tenant, @Nullable Owner owner, KeyLabels labels) {}

  private final long k0;
  private final long k1;
  private final ChainKeys chained;
  private final ToIntFunction<String> partitionOf;
  private final Models known;
  private final NameTable<UseCounters> tenants = new NameTable<>(UseCounters::new);
  private final NameTable<UseCounters> models = new NameTable<>(UseCounters::new);
  private final NameTable<ConcurrentSkipListMap<Integer, UseCounters>> groups =
      new NameTable<>(ConcurrentSkipListMap::new);

  /**
   * By hash. Races are harmless: a set of labels never changes, and a lost one is created again.
   */
  private final @Nullable Seen[] recent = new Seen[RECENT];

  private final Owner[] owners;

  /** A tenant with keys of its own, which start with a prefix. */
  private static final class Owner {

    final byte[] prefix;
    final String tenant;

    /** The labels of keys that name no model; null until there is one. */
    @Nullable KeyLabels plain;

    Owner(TenantPrefix of) {
      prefix = of.prefix().getBytes(StandardCharsets.UTF_8);
      tenant = of.tenant();
    }

    boolean has(byte[] key) {
      return key.length >= prefix.length
          && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }
  }

  /** Creates a parser. Clients must not be able to guess the seed, which keys the hash. */
  public KeyParser(
      long seed,
      ToIntFunction<String> partitionOf,
      List<TenantPrefix> prefixes,
      ChainKeys chained,
      Models known) {
    k0 = seed;
    k1 = Long.rotateLeft(seed * 0x9E3779B97F4A7C15L, 29);
    this.partitionOf = partitionOf;
    this.chained = chained;
    this.known = known;
    owners = prefixes.stream().map(Owner::new).toArray(Owner[]::new);
  }

  /**
   * Parses a key. Of a chunk's two keys the stem is hashed, so that either finds the entry of both;
   * of the keys of several workers and object groups, what they have in common.
   *
   * @param bytes kept, not to be changed
   */
  public ObjectKey parse(byte[] bytes) {
    int stem = ChunkKeys.stemLength(bytes);
    LabelledKey parts = LabelledKey.parse(bytes, stem);
    byte[] common = parts == null ? null : parts.common(bytes, stem);
    boolean ranks = parts != null && parts.isOfSeveralRanks();
    long tag = (stem == bytes.length ? 0 : STEM) ^ (ranks ? SHARD : 0);
    return new ObjectKey(
        bytes,
        labels(bytes, parts),
        chained.covers(bytes, parts),
        ranks || (parts != null && parts.isGrouped()),
        k0 ^ tag,
        k1,
        common == null ? bytes : common,
        common == null ? stem : common.length);
  }

  private KeyLabels labels(byte[] key, @Nullable LabelledKey parts) {
    Owner owner = owner(key);
    if (parts == null
        || parts.modelEnd() - parts.modelStart() > LONGEST_NAME
        || parts.tenantEnd() - parts.tenantStart() > LONGEST_NAME) {
      return owner == null ? KeyLabels.NONE : plain(owner);
    }
    int place = parts.hash(key) & (RECENT - 1);
    Seen seen = recent[place];
    if (seen == null || seen.owner != owner || !isOf(seen, key, parts)) {
      seen = read(key, parts, owner);
      recent[place] = seen;
    }
    return seen.labels;
  }

  private static boolean isOf(Seen seen, byte[] key, LabelledKey parts) {
    byte[] model = seen.model;
    byte[] group = seen.group;
    byte[] tenant = seen.tenant;
    return seen.labels.rank() == parts.rank()
        && Arrays.equals(model, 0, model.length, key, parts.modelStart(), parts.modelEnd())
        && Arrays.equals(group, 0, group.length, key, parts.labelStart(), parts.labelEnd())
        && Arrays.equals(tenant, 0, tenant.length, key, parts.tenantStart(), parts.tenantEnd());
  }

  private @Nullable Owner owner(byte[] key) {
    for (Owner owner : owners) {
      if (owner.has(key)) {
        return owner;
      }
    }
    return null;
  }

  private KeyLabels plain(Owner owner) {
    KeyLabels labels = owner.plain;
    if (labels == null) {
      labels =
          KeyLabels.of(
              facts(owner.tenant, null),
              partitionOf.applyAsInt(owner.tenant),
              List.of(tenants.get(owner.tenant)));
      owner.plain = labels;
    }
    return labels;
  }

  private static RequestFacts facts(@Nullable String tenant, @Nullable String model) {
    return RequestFacts.of(tenant, model);
  }

  public List<UseStats> tenants() {
    return stats(tenants);
  }

  public List<UseStats> models() {
    return stats(models);
  }

  /** Returns the objects of each group of models that have more than one, sorted by model. */
  public List<GroupObjects> groups() {
    List<GroupObjects> all = new ArrayList<>();
    groups
        .values()
        .forEach((model, uses) -> {
          if (uses.size() > 1) {
            ObjectGroups kinds = known.get(model).groups();
            uses.forEach((group, use) ->
                all.add(
                    new GroupObjects(
                        group,
                        group < kinds.size() ? kinds.get(group) : ObjectGroup.FULL,
                        use.stats(model))));
          }
        });
    return all;
  }

  private Seen read(byte[] key, LabelledKey parts, @Nullable Owner owner) {
    byte[] modelBytes = Arrays.copyOfRange(key, parts.modelStart(), parts.modelEnd());
    byte[] tenantBytes = Arrays.copyOfRange(key, parts.tenantStart(), parts.tenantEnd());
    String model = new String(modelBytes, StandardCharsets.UTF_8);
    String named = tenantBytes.length == 0 ? null : new String(tenantBytes, StandardCharsets.UTF_8);
    String tenant = owner == null ? named : owner.tenant;
    byte[] group = Arrays.copyOfRange(key, parts.labelStart(), parts.labelEnd());
    Model of = known.get(model);
    of.saw(parts.rank(), parts.group(key));
    KeyLabels labels =
        new KeyLabels(
            facts(tenant, model),
            parts.rank(),
            tenant == null ? 0 : partitionOf.applyAsInt(tenant),
            uses(model, parts.isGrouped() ? parts.group(key) : NO_GROUP, tenant),
            parts.tiled(),
            parts.group(key),
            of);
    return new Seen(modelBytes, group, tenantBytes, owner, labels);
  }

  private List<UseCounters> uses(String model, int group, @Nullable String tenant) {
    List<UseCounters> uses = new ArrayList<>(List.of(models.get(model)));
    if (group != NO_GROUP) {
      uses.add(groups.get(model).computeIfAbsent(group, any -> new UseCounters()));
    }
    if (tenant != null) {
      uses.add(tenants.get(tenant));
    }
    return List.copyOf(uses);
  }

  private static List<UseStats> stats(NameTable<UseCounters> of) {
    return of.values().entrySet().stream()
        .map(each -> each.getValue().stats(each.getKey()))
        .toList();
  }
}
