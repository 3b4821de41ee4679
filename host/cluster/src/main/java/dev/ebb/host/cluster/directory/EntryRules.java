package dev.ebb.host.cluster.directory;

import dev.ebb.host.cluster.directory.Change.Deleted;
import dev.ebb.host.cluster.directory.Change.Held;
import dev.ebb.host.cluster.directory.Change.Merged;
import dev.ebb.host.cluster.directory.Change.Released;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
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
      case Held held -> announced(old, held);
      case Released released -> released(without(old, released.gone()), released);
      case Deleted deleted -> deleted(old, deleted.version());
      case Merged merged -> old == null ? merged.entry() : merge(old, merged.entry());
    };
  }

  private static DirectoryEntry deleted(@Nullable DirectoryEntry old, long version) {
    if (old == null) {
      return DirectoryEntry.tombstone(version, List.of());
    }
    return old.version() > version ? old : DirectoryEntry.tombstone(version, old.nodes());
  }

  private static @Nullable DirectoryEntry announced(@Nullable DirectoryEntry old, Held held) {
    if (old != null && isOutdated(held, old)) {
      // Its node did not know this version, so it cannot know which of its holders have left.
      return stale(old, held.holder().node());
    }
    if (old != null && !old.deleted() && old.version() == held.version()) {
      // The copy is added first: if all other holders have left and this one was stale before, it
      // would be taken for an overwritten one.
      return without(held(old, held), held.gone());
    }
    return held(without(old, held.gone()), held);
  }

  private static boolean isOutdated(Held held, DirectoryEntry entry) {
    return entry.deleted()
        ? held.version() <= entry.version()
        : held.version() < entry.version() && !(entry.immutable() && held.immutable());
  }

  private static DirectoryEntry held(@Nullable DirectoryEntry old, Held held) {
    Holder holder = held.holder();
    if (old == null) {
      return entry(held, List.of(holder), Set.of());
    }
    boolean newer = held.version() > old.version();
    boolean union = !old.deleted() && old.immutable() && held.immutable();
    if (newer) {
      List<Holder> holders = union ? with(old.holders(), holder) : List.of(holder);
      return entry(held, holders, old.nodes());
    }
    if (old.deleted() || (held.version() < old.version() && !union)) {
      return stale(old, holder.node());
    }
    List<Holder> holders = with(old.holders(), holder);
    // The time to live of a value can change; its replicas learn it late.
    boolean expiry = held.version() == old.version() && !holder.replica();
    long expiresAt = expiry ? held.expiresAt() : old.expiresAt();
    return old.with(expiresAt, holders, old.stale());
  }

  /** A node announced an old copy: it may have no other one. */
  private static DirectoryEntry stale(DirectoryEntry old, int node) {
    if (old.of(node) != null || old.stale().contains(node)) {
      return old;
    }
    Set<Integer> stale = new HashSet<>(old.stale());
    stale.add(node);
    return old.with(old.holders(), stale);
  }

  private static @Nullable DirectoryEntry released(
      @Nullable DirectoryEntry old, Released released) {
    if (old == null || released.keepReplicas() || old.deleted()) {
      return without(old, Set.of(released.node()));
    }
    boolean primary = old.holders().getFirst().node() == released.node();
    DirectoryEntry left = without(old, Set.of(released.node()));
    boolean replicas = left != null && left.holders().stream().allMatch(Holder::replica);
    return primary && left != null && replicas
        ? DirectoryEntry.tombstone(left.version(), left.nodes())
        : left;
  }

  private static DirectoryEntry entry(Held held, List<Holder> holders, Set<Integer> others) {
    return new DirectoryEntry(
            held.version(),
            held.bytes(),
            held.crc32c(),
            held.expiresAt(),
            held.immutable(),
            false,
            holders,
            List.of())
        .with(holders, others);
  }

  private static @Nullable DirectoryEntry without(
      @Nullable DirectoryEntry old, Set<Integer> nodes) {
    if (old == null || nodes.isEmpty()) {
      return old;
    }
    List<Holder> left =
        old.holders().stream().filter(holder -> !nodes.contains(holder.node())).toList();
    List<Integer> stale = old.stale().stream().filter(node -> !nodes.contains(node)).toList();
    if (left.isEmpty() && !old.deleted()) {
      // Without the entry, an overwritten copy would be announced as a new value.
      return stale.isEmpty() ? null : DirectoryEntry.tombstone(old.version(), stale);
    }
    return old.with(left, stale);
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
    Set<Integer> nodes = new HashSet<>(a.nodes());
    nodes.addAll(b.nodes());
    if (a.immutable() != b.immutable()) {
      // Versions of single copies are not known: only this is the same in every order of merges.
      DirectoryEntry mutable = a.immutable() ? b : a;
      return mutable.with(mutable.holders(), nodes);
    }
    int order = CONTENT.compare(a, b);
    DirectoryEntry newest = order >= 0 ? a : b;
    if (newest.deleted() || (order != 0 && !newest.immutable())) {
      return newest.with(newest.holders(), nodes);
    }
    long expiresAt = order == 0 ? Math.max(a.expiresAt(), b.expiresAt()) : newest.expiresAt();
    return newest.with(expiresAt, union(a.holders(), b.holders()), nodes);
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
