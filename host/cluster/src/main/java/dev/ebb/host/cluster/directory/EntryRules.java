package dev.ebb.host.cluster.directory;

import dev.ebb.host.cluster.directory.Change.Deleted;
import dev.ebb.host.cluster.directory.Change.Held;
import dev.ebb.host.cluster.directory.Change.Released;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The effect of changes on entries, and of entries on each other. It depends on nothing else, so
 * that all owners of an entry compute the same one.
 */
final class EntryRules {

  /** Total, so that the order of the arguments of a merge does not matter. */
  private static final Comparator<DirectoryEntry> CONTENT =
      Comparator.comparingLong(DirectoryEntry::version)
          .thenComparing(DirectoryEntry::deleted)
          .thenComparingLong(DirectoryEntry::bytes)
          .thenComparingInt(DirectoryEntry::crc32c);

  private EntryRules() {}

  static @Nullable DirectoryEntry apply(@Nullable DirectoryEntry old, Change change) {
    return switch (change) {
      case Held held -> held(without(old, held.gone()), held);
      case Released released -> released(without(old, released.gone()), released);
      case Deleted deleted ->
          old != null && old.version() > deleted.version()
              ? old
              : DirectoryEntry.tombstone(deleted.version());
    };
  }

  private static DirectoryEntry held(@Nullable DirectoryEntry old, Held held) {
    if (old == null) {
      return entry(held, List.of(held.holder()));
    }
    if (old.deleted()) {
      return held.version() > old.version() ? entry(held, List.of(held.holder())) : old;
    }
    boolean union = old.immutable() && held.immutable();
    if (held.version() > old.version()) {
      return entry(held, union ? with(old.holders(), held.holder()) : List.of(held.holder()));
    }
    if (held.version() < old.version()) {
      return union ? old.withHolders(with(old.holders(), held.holder())) : old;
    }
    // The time to live of a value can change; its replicas learn it late.
    long expiresAt = held.holder().replica() ? old.expiresAt() : held.expiresAt();
    return new DirectoryEntry(
        old.version(),
        old.bytes(),
        old.crc32c(),
        expiresAt,
        old.immutable(),
        false,
        with(old.holders(), held.holder()));
  }

  private static @Nullable DirectoryEntry released(
      @Nullable DirectoryEntry old, Released released) {
    if (old == null || old.of(released.node()) == null) {
      return old;
    }
    boolean primary = old.holders().getFirst().node() == released.node();
    return primary && !released.keepReplicas() ? null : without(old, Set.of(released.node()));
  }

  private static DirectoryEntry entry(Held held, List<Holder> holders) {
    return new DirectoryEntry(
        held.version(),
        held.bytes(),
        held.crc32c(),
        held.expiresAt(),
        held.immutable(),
        false,
        holders);
  }

  private static @Nullable DirectoryEntry without(
      @Nullable DirectoryEntry old, Set<Integer> nodes) {
    if (old == null || old.deleted() || nodes.isEmpty()) {
      return old;
    }
    List<Holder> left =
        old.holders().stream().filter(holder -> !nodes.contains(holder.node())).toList();
    if (left.size() == old.holders().size()) {
      return old;
    }
    return left.isEmpty() ? null : old.withHolders(left);
  }

  private static List<Holder> with(List<Holder> holders, Holder added) {
    List<Holder> all = new ArrayList<>(holders.size() + 1);
    boolean update = false;
    for (Holder holder : holders) {
      boolean same = holder.node() == added.node();
      all.add(same ? added : holder);
      update |= same;
    }
    if (!update) {
      all.add(added);
    }
    // Stable: copies of one kind stay in their order of arrival.
    all.sort(Comparator.comparing(Holder::replica));
    return all;
  }

  static DirectoryEntry merge(DirectoryEntry a, DirectoryEntry b) {
    if (a.equals(b)) {
      return a;
    }
    if (a.immutable() != b.immutable()) {
      // Versions of single copies are not known: only this is the same in every order of merges.
      return a.immutable() ? b : a;
    }
    int order = CONTENT.compare(a, b);
    DirectoryEntry newest = order >= 0 ? a : b;
    if (newest.deleted() || (order != 0 && !newest.immutable())) {
      return newest;
    }
    long expiresAt = order == 0 ? Math.max(a.expiresAt(), b.expiresAt()) : newest.expiresAt();
    return new DirectoryEntry(
        newest.version(),
        newest.bytes(),
        newest.crc32c(),
        expiresAt,
        newest.immutable(),
        false,
        union(a.holders(), b.holders()));
  }

  private static List<Holder> union(List<Holder> a, List<Holder> b) {
    if (a.equals(b)) {
      return a;
    }
    Map<Integer, Holder> byNode = new TreeMap<>();
    Stream.concat(a.stream(), b.stream())
        .forEach(holder ->
            byNode.merge(holder.node(), holder, (one, other) -> one.replica() ? other : one));
    List<Holder> all = new ArrayList<>(byNode.values());
    all.sort(Comparator.comparing(Holder::replica));
    return all;
  }
}
