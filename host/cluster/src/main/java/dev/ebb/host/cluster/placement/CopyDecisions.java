package dev.ebb.host.cluster.placement;

import dev.ebb.host.cluster.directory.Change.Released;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.CopyAction.Announce;
import dev.ebb.host.cluster.placement.CopyAction.DropLocal;
import dev.ebb.host.cluster.placement.CopyAction.Notify;
import dev.ebb.host.cluster.placement.CopyAction.Replicate;
import dev.ebb.host.cluster.placement.CopyAction.SetExpiry;
import dev.ebb.host.cluster.placement.CopyAction.TellDrop;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a node does about one value, from its own copy, the directory entry and the live
 * nodes. It depends on nothing else: a decision that is repeated, or made from an old entry, does
 * no harm.
 *
 * <p>The rules:
 *
 * <ul>
 *   <li>Each node announces its own copies, and only these. The first live holder is the primary
 *       one; it alone orders further copies.
 *   <li>A copy counts if its node is {@link Topology#active active}. Copies are missing while fewer
 *       than {@link CopySettings#copies} count, or while they are on fewer racks than they could be
 *       and a node on another rack has room.
 *   <li>Only replicas are surplus. Copies in main stores are removed by clients, by the eviction
 *       policy, and where their node drains.
 *   <li>A node releases a surplus copy in the directory before it removes the bytes, and only
 *       removes them if the entry after that has enough other copies and their nodes confirm them.
 *       So two nodes cannot both remove the last but one.
 *   <li>A replica that is evicted is not restored before the nodes of the cluster change: restoring
 *       it would evict another replica.
 * </ul>
 */
public record CopyDecisions(int self, ReplicaPlacement placement, CopySettings settings) {

  public CopyDecisions {
    if (!placement.topology().live(self)) {
      throw new IllegalArgumentException(
          "the topology does not contain this node '%08x'".formatted(self));
    }
  }

  private Topology topology() {
    return placement.topology();
  }

  /**
   * Decides.
   *
   * @param id chooses among equal nodes: those of values that belong together are equal
   * @param local the newest local copy; null if there is none
   * @param entry null if the directory has none
   * @return the actions in order; an {@link Announce} or a {@link DropLocal} is the only one
   */
  public List<CopyAction> decide(
      ValueId id, @Nullable LocalCopy local, @Nullable DirectoryEntry entry, CheckReason reason) {
    if (local == null) {
      return entry == null ? List.of() : withoutCopy(id, entry, reason);
    }
    if (entry == null) {
      return held(local, Set.of(), reason);
    }
    if (invalid(local, entry)) {
      return List.of(new DropLocal(local.version(), Set.of()));
    }
    boolean dispensable = dispensable(id, local, entry);
    // The entry has to know a newer version before it can go: otherwise an earlier deletion on the
    // other side of a partition would remove the copies that remain.
    if (newer(local, entry) || (dispensable && local.version() > entry.version())) {
      return held(local, gone(entry), reason);
    }
    Holder holder = entry.of(self);
    if (holder == null && dispensable) {
      Set<Integer> others = new HashSet<>(counted(entry.holders()));
      return List.of(new DropLocal(local.version(), others));
    }
    if (holder == null || holder.replica() != local.replica()) {
      return held(local, gone(entry), reason);
    }
    if (dispensable) {
      return List.of(new Announce(new Released(self, true, gone(entry)), reason));
    }
    return asHolder(id, local, entry, reason);
  }

  private List<CopyAction> held(LocalCopy local, Set<Integer> gone, CheckReason reason) {
    // Another holder: as if the members had changed, others may be surplus now.
    CheckReason next = reason == CheckReason.NOTIFIED ? CheckReason.RECHECKED : reason;
    return List.of(new Announce(local.held(self, gone), next));
  }

  private static boolean invalid(LocalCopy local, DirectoryEntry entry) {
    return entry.deleted()
        ? local.version() <= entry.version()
        : !local.immutable() && local.version() < entry.version();
  }

  private static boolean newer(LocalCopy local, DirectoryEntry entry) {
    return local.version() > entry.version() && (entry.deleted() || !local.immutable());
  }

  /** Without a local copy: what this node knows that others have to do. */
  private List<CopyAction> withoutCopy(ValueId id, DirectoryEntry entry, CheckReason reason) {
    Holder holder = entry.of(self);
    List<Holder> others = liveOthers(entry);
    if (holder != null || entry.stale().contains(self) || (others.isEmpty() && !entry.deleted())) {
      boolean keep =
          settings.keepReplicas()
              || holder == null
              || holder.replica()
              || !topology().active(self)
              || reason != CheckReason.CHANGED
              || others.stream().anyMatch(other -> !other.replica());
      return List.of(new Announce(new Released(self, keep, gone(entry)), reason));
    }
    if (entry.deleted()) {
      return reason == CheckReason.NOTIFIED ? List.of() : drops(entry, entry.version());
    }
    return reason == CheckReason.REPLICA_EVICTED || missing(id, entry, false).isEmpty()
        ? List.of()
        : List.of(new Notify(primary(entry)));
  }

  /** With a valid copy that the directory knows. */
  private List<CopyAction> asHolder(
      ValueId id, LocalCopy local, DirectoryEntry entry, CheckReason reason) {
    List<Holder> others = liveOthers(entry);
    boolean primary = primary(entry) == self;
    boolean otherExpiry = !entry.immutable() && local.expiresAt() != entry.expiresAt();
    if (primary && (!gone(entry).isEmpty() || (otherExpiry && !local.replica()))) {
      return held(local, gone(entry), reason);
    }
    List<CopyAction> actions = new ArrayList<>();
    if (otherExpiry && local.replica()) {
      actions.add(new SetExpiry(entry.expiresAt()));
    }
    Set<Integer> notified = new HashSet<>();
    if (primary && otherExpiry) {
      // The main copy, whose expiry was changed, went before its node had notified the others.
      others.forEach(other -> notified.add(other.node()));
    }
    if (primary) {
      if (entry.immutable()) {
        entry.stale().stream().filter(topology()::live).forEach(notified::add);
      } else {
        actions.addAll(drops(entry, entry.version() - 1));
      }
      actions.addAll(missing(id, entry, local.isNew()));
    }
    // An answer to a notification with another one could go on forever between nodes that see
    // different topologies.
    if (reason != CheckReason.NOTIFIED) {
      notified.addAll(surplus(entry.holders()));
      // After a change of a main copy the others may have to go, have another expiry, or not exist.
      boolean all =
          reason == CheckReason.FULL_CHECK || (reason == CheckReason.CHANGED && !local.replica());
      for (Holder other : others) {
        if (all || (!topology().active(other.node()) && enoughOthers(id, entry))) {
          notified.add(other.node());
        }
      }
      if (!primary && !topology().active(self) && !missing(id, entry, false).isEmpty()) {
        notified.add(primary(entry));
      }
    }
    notified.stream().sorted().map(Notify::new).forEach(actions::add);
    return actions;
  }

  private List<CopyAction> drops(DirectoryEntry entry, long upToVersion) {
    return entry.stale().stream()
        .filter(node -> node != self && topology().live(node))
        .<CopyAction>map(node -> new TellDrop(node, upToVersion))
        .toList();
  }

  private List<CopyAction> missing(ValueId id, DirectoryEntry entry, boolean evicting) {
    int copies = settings.copies();
    List<Integer> counted = counted(entry.holders());
    int racks = topology().racks(counted);
    if (counted.size() >= copies && racks >= copies) {
      return List.of();
    }
    int more = Math.max(copies - counted.size(), 1);
    List<Node> targets = placement.choose(id, entry.bytes(), entry.holders(), more, evicting);
    List<Integer> then = new ArrayList<>(counted);
    targets.forEach(target -> then.add(target.id()));
    int racksThen = topology().racks(then);
    if (counted.size() >= copies && racksThen == racks) {
      return List.of();
    }
    return targets.stream()
        .<CopyAction>map(target -> new Replicate(target.id(), racksThen >= copies))
        .toList();
  }

  /** Returns whether this node's copy can go without a loss of copies that count. */
  private boolean dispensable(ValueId id, LocalCopy local, DirectoryEntry entry) {
    if (entry.deleted()) {
      return false;
    }
    if (!topology().active(self)) {
      return enoughOthers(id, entry);
    }
    if (!local.replica()) {
      return false;
    }
    List<Holder> holders = new ArrayList<>(entry.holders());
    holders.removeIf(holder -> holder.node() == self && !holder.replica());
    if (holders.stream().noneMatch(holder -> holder.node() == self)) {
      holders.add(new Holder(self, true));
    }
    return surplus(holders).contains(self);
  }

  /** Returns whether nodes that drain may remove their copies. */
  private boolean enoughOthers(ValueId id, DirectoryEntry entry) {
    int copies = counted(entry.holders()).size();
    return copies >= settings.copies()
        || (copies > 0 && placement.choose(id, entry.bytes(), entry.holders(), 1, false).isEmpty());
  }

  /**
   * Returns the nodes whose replicas are surplus: without any of them there are copies enough, on
   * as many racks. The last holders first, so that all nodes find the same ones.
   */
  private Set<Integer> surplus(List<Holder> holders) {
    List<Integer> kept = counted(holders);
    if (kept.size() <= settings.copies()) {
      return Set.of();
    }
    int racks = Math.min(settings.copies(), topology().racks(kept));
    Set<Integer> surplus = new HashSet<>();
    for (Holder holder : holders.reversed()) {
      if (holder.replica() && kept.size() > settings.copies() && kept.contains(holder.node())) {
        List<Integer> without = kept.stream().filter(node -> node != holder.node()).toList();
        if (topology().racks(without) >= racks) {
          kept = without;
          surplus.add(holder.node());
        }
      }
    }
    return surplus;
  }

  private List<Integer> counted(List<Holder> holders) {
    return holders.stream().map(Holder::node).filter(topology()::active).toList();
  }

  private List<Holder> liveOthers(DirectoryEntry entry) {
    return entry.holders().stream()
        .filter(holder -> holder.node() != self && topology().live(holder.node()))
        .toList();
  }

  /** Returns the node of the first live copy, which is the primary one; this node if none is. */
  public int primary(DirectoryEntry entry) {
    for (Holder holder : entry.holders()) {
      if (holder.node() == self || topology().live(holder.node())) {
        return holder.node();
      }
    }
    return self;
  }

  private Set<Integer> gone(DirectoryEntry entry) {
    Set<Integer> gone = new HashSet<>(entry.stale());
    entry.holders().forEach(holder -> gone.add(holder.node()));
    gone.removeIf(node -> node == self || topology().live(node));
    return gone;
  }
}
