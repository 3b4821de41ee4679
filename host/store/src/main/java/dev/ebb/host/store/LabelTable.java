package dev.ebb.host.store;

import dev.ebb.host.cache.NameTable;
import dev.ebb.host.cache.RequestFacts;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The labels of keys, each set of them created once. A key with known labels costs a look at its
 * bytes and no garbage. Thread-safe.
 */
final class LabelTable {

  private static final int RECENT = 1 << 10;

  /** Keys with longer names of models or tenants are plain keys: each name is kept for ever. */
  static final int LONGEST_NAME = 256;

  /** Labels with the bytes they were parsed from. */
  // The arrays are compared with parts of keys, and never leave this class.
  @SuppressWarnings("ArrayRecordComponent")
  private record Seen(
      byte[] model,
      int rank,
      byte[] group,
      byte[] tenant,
      @Nullable Owner owner,
      KeyLabels labels) {

    boolean is(byte[] key, LabelledKey parts, @Nullable Owner keyOwner) {
      return rank == parts.rank()
          && owner == keyOwner
          && Arrays.equals(model, 0, model.length, key, parts.modelStart(), parts.modelEnd())
          && Arrays.equals(group, 0, group.length, key, parts.rankEnd(), parts.groupEnd())
          && Arrays.equals(tenant, 0, tenant.length, key, parts.tenantStart(), parts.tenantEnd());
    }
  }

  private final ToIntFunction<String> partitionOf;
  private final NameTable<UseCounters> tenants = new NameTable<>(UseCounters::new);
  private final NameTable<UseCounters> models = new NameTable<>(UseCounters::new);
  private final NameTable<AtomicInteger> firstRanks =
      new NameTable<>(() -> new AtomicInteger(Integer.MAX_VALUE));

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

  LabelTable(ToIntFunction<String> partitionOf, List<TenantPrefix> prefixes) {
    this.partitionOf = partitionOf;
    owners = prefixes.stream().map(Owner::new).toArray(Owner[]::new);
  }

  KeyLabels of(byte[] key) {
    LabelledKey parts = LabelledKey.parse(key);
    Owner owner = owner(key);
    if (parts == null
        || parts.modelEnd() - parts.modelStart() > LONGEST_NAME
        || parts.tenantEnd() - parts.tenantStart() > LONGEST_NAME) {
      return owner == null ? KeyLabels.NONE : plain(owner);
    }
    int place = parts.hash(key) & (RECENT - 1);
    Seen seen = recent[place];
    if (seen == null || !seen.is(key, parts, owner)) {
      seen = read(key, parts, owner);
      recent[place] = seen;
    }
    return seen.labels;
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
          new KeyLabels(
              null,
              -1,
              owner.tenant,
              new RequestFacts(-1, -1, -1, -1, 1, owner.tenant, null, 0),
              partitionOf.applyAsInt(owner.tenant),
              List.of(tenants.get(owner.tenant)),
              new AtomicInteger(-1),
              null);
      owner.plain = labels;
    }
    return labels;
  }

  List<UseStats> tenants() {
    return stats(tenants);
  }

  List<UseStats> models() {
    return stats(models);
  }

  private Seen read(byte[] key, LabelledKey parts, @Nullable Owner owner) {
    byte[] modelBytes = Arrays.copyOfRange(key, parts.modelStart(), parts.modelEnd());
    byte[] tenantBytes = Arrays.copyOfRange(key, parts.tenantStart(), parts.tenantEnd());
    String model = new String(modelBytes, StandardCharsets.UTF_8);
    String named = tenantBytes.length == 0 ? null : new String(tenantBytes, StandardCharsets.UTF_8);
    String tenant = owner == null ? named : owner.tenant;
    byte[] group = Arrays.copyOfRange(key, parts.rankEnd(), parts.groupEnd());
    AtomicInteger firstRank = firstRanks.get(model);
    firstRank.accumulateAndGet(parts.rank(), Math::min);
    KeyLabels labels =
        new KeyLabels(
            model,
            parts.rank(),
            tenant,
            new RequestFacts(-1, -1, -1, -1, 1, tenant, model, 0),
            tenant == null ? 0 : partitionOf.applyAsInt(tenant),
            tenant == null
                ? List.of(models.get(model))
                : List.of(models.get(model), tenants.get(tenant)),
            firstRank,
            parts.tiled() ? new String(group, StandardCharsets.UTF_8) : null);
    return new Seen(modelBytes, parts.rank(), group, tenantBytes, owner, labels);
  }

  private static List<UseStats> stats(NameTable<UseCounters> of) {
    return of.values().entrySet().stream()
        .map(each -> each.getValue().stats(each.getKey()))
        .toList();
  }
}
