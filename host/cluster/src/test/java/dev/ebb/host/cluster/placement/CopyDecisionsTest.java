package dev.ebb.host.cluster.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.ebb.host.cluster.directory.Change.Held;
import dev.ebb.host.cluster.directory.Change.Released;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.CopyAction.Announce;
import dev.ebb.host.cluster.placement.CopyAction.DropLocal;
import dev.ebb.host.cluster.placement.CopyAction.Notify;
import dev.ebb.host.cluster.placement.CopyAction.Replicate;
import dev.ebb.host.cluster.placement.CopyAction.SetExpiry;
import dev.ebb.host.cluster.placement.CopyAction.TellDrop;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CopyDecisionsTest {

  private static final long NEVER = Long.MAX_VALUE;
  private static final ValueId ID = new ValueId(1, 2);

  private final Node a = TestNodes.node("a", "r1", "z");
  private final Node a2 = TestNodes.node("a2", "r1", "z");
  private final Node b = TestNodes.node("b", "r2", "z");
  private final Node c = TestNodes.node("c", "r3", "z");
  private List<Node> live = List.of(a, a2, b, c);
  private CopySettings settings = new CopySettings(1, true);

  @Test
  void announcesANewValue() {
    assertThat(decide(a, main(5), null, CheckReason.CHANGED))
        .containsExactly(
            new Announce(
                new Held(new Holder(a.id(), false), 5, 1, 0, NEVER, false, Set.of()),
                CheckReason.CHANGED));
  }

  @Test
  void thePrimaryOrdersMissingCopiesOnOtherRacks() {
    List<CopyAction> actions = decide(a, main(5), entry(5, primary(a)), CheckReason.CHANGED);

    assertThat(actions).hasSize(1);
    assertThat(actions.getFirst()).isIn(new Replicate(b.id(), true), new Replicate(c.id(), true));
  }

  @Test
  void aSingleNodeOrACompleteValueNeedsNothing() {
    live = List.of(a);
    assertThat(decide(a, main(5), entry(5, primary(a)), CheckReason.CHANGED)).isEmpty();

    live = List.of(a, b);
    DirectoryEntry complete = entry(5, primary(a), replica(b));
    assertThat(decide(a, main(5), complete, CheckReason.RECHECKED)).isEmpty();
    assertThat(decide(b, replica(5L), complete, CheckReason.RECHECKED)).isEmpty();

    settings = new CopySettings(0, true);
    assertThat(decide(a, main(5), entry(5, primary(a)), CheckReason.CHANGED)).isEmpty();
  }

  @Test
  void anOverwrittenCopyIsDroppedAndItsNodeTold() {
    DirectoryEntry overwritten = withStale(entry(7, primary(b), replica(c)), a);

    assertThat(decide(a, main(5), overwritten, CheckReason.NOTIFIED))
        .containsExactly(new DropLocal(5, Set.of()));
    assertThat(decide(a, null, overwritten, CheckReason.NOTIFIED))
        .containsExactly(released(a, true, CheckReason.NOTIFIED));
    assertThat(decide(b, main(7), overwritten, CheckReason.CHANGED))
        .containsExactly(new TellDrop(a.id(), 6), new Notify(c.id()));
  }

  @Test
  void allCopiesOfADeletedValueAreDropped() {
    DirectoryEntry deleted =
        new DirectoryEntry(9, 0, 0, NEVER, false, true, List.of(), List.of(a.id(), b.id()));

    assertThat(decide(c, null, deleted, CheckReason.CHANGED))
        .containsExactlyInAnyOrder(new TellDrop(a.id(), 9), new TellDrop(b.id(), 9));
    assertThat(decide(a, main(9), deleted, CheckReason.RECHECKED))
        .containsExactly(new DropLocal(9, Set.of()));
    assertThat(decide(a, main(10), deleted, CheckReason.CHANGED).getFirst())
        .isInstanceOf(Announce.class);
  }

  @Test
  void anEvictedPrimaryCopyIsReplacedOrItsReplicasGo() {
    DirectoryEntry entry = entry(5, primary(a), replica(b));

    assertThat(decide(a, null, entry, CheckReason.CHANGED))
        .containsExactly(released(a, true, CheckReason.CHANGED));
    assertThat(decide(a, null, entry(5, replica(b)), CheckReason.CHANGED))
        .containsExactly(new Notify(b.id()));

    settings = new CopySettings(1, false);
    assertThat(decide(a, null, entry, CheckReason.CHANGED))
        .containsExactly(released(a, false, CheckReason.CHANGED));
    assertThat(decide(a, null, entry(5, primary(a), primary(b)), CheckReason.CHANGED))
        .containsExactly(released(a, true, CheckReason.CHANGED));
  }

  @Test
  void anEvictedReplicaIsNotRestored() {
    DirectoryEntry entry = entry(5, primary(a), replica(b));

    assertThat(decide(b, null, entry, CheckReason.REPLICA_EVICTED))
        .containsExactly(released(b, true, CheckReason.REPLICA_EVICTED));
    assertThat(decide(b, null, entry(5, primary(a)), CheckReason.REPLICA_EVICTED)).isEmpty();
  }

  @Test
  void theFirstLiveHolderRestoresCopiesOfLostNodes() {
    live = List.of(a2, b, c);
    DirectoryEntry entry = entry(5, primary(a), replica(b));

    assertThat(decide(b, replica(5L), entry, CheckReason.RECHECKED))
        .containsExactly(
            new Announce(
                new Held(new Holder(b.id(), true), 5, 1, 0, NEVER, false, Set.of(a.id())),
                CheckReason.RECHECKED));
    assertThat(decide(b, replica(5L), entry(5, replica(b)), CheckReason.RECHECKED))
        .hasSize(1)
        .hasOnlyElementsOfType(Replicate.class);
  }

  @Test
  void aSurplusReplicaIsReleasedThenDropped() {
    DirectoryEntry entry = entry(5, primary(a), replica(b), replica(c));

    assertThat(decide(a, main(5), entry, CheckReason.RECHECKED))
        .containsExactly(new Notify(c.id()));
    assertThat(decide(b, replica(5L), entry, CheckReason.NOTIFIED)).isEmpty();
    assertThat(decide(c, replica(5L), entry, CheckReason.NOTIFIED))
        .containsExactly(released(c, true, CheckReason.NOTIFIED));
    assertThat(decide(c, replica(5L), entry(5, primary(a), replica(b)), CheckReason.NOTIFIED))
        .containsExactly(new DropLocal(5, Set.of(a.id(), b.id())));
    assertThat(decide(c, replica(5L), entry(5, primary(a)), CheckReason.NOTIFIED).getFirst())
        .isInstanceOf(Announce.class);
  }

  @Test
  void copiesInMainStoresAreNeverSurplus() {
    DirectoryEntry entry = entry(5, primary(a), primary(b), primary(c));

    for (Node node : List.of(a, b, c)) {
      assertThat(decide(node, main(5), entry, CheckReason.RECHECKED)).isEmpty();
    }
  }

  @Test
  void twoCopiesOnOneRackAreMovedApart() {
    live = List.of(a, a2, b);
    DirectoryEntry together = entry(5, primary(a), replica(a2));
    assertThat(decide(a, main(5), together, CheckReason.RECHECKED))
        .containsExactly(new Replicate(b.id(), true));

    DirectoryEntry apart = entry(5, primary(a), replica(a2), replica(b));
    assertThat(decide(a, main(5), apart, CheckReason.RECHECKED))
        .containsExactly(new Notify(a2.id()));
    assertThat(decide(b, replica(5L), apart, CheckReason.NOTIFIED)).isEmpty();

    live = List.of(a, a2);
    assertThat(decide(a, main(5), together, CheckReason.RECHECKED)).isEmpty();
  }

  @Test
  void aDrainingNodeKeepsItsCopyUntilOthersHaveEnough() {
    Node draining = TestNodes.node("a", "r1", "z", NodeState.DRAINING, 1_000, 0);
    live = List.of(draining, b, c);

    assertThat(decide(a, main(5), entry(5, primary(a), replica(b)), CheckReason.RECHECKED))
        .containsExactly(new Replicate(c.id(), true));
    DirectoryEntry enough = entry(5, primary(a), replica(b), replica(c));
    assertThat(decide(a, main(5), enough, CheckReason.RECHECKED))
        .containsExactly(released(a, true, CheckReason.RECHECKED));
    assertThat(decide(c, replica(5L), enough, CheckReason.CHANGED))
        .containsExactly(new Notify(a.id()));

    live = List.of(draining);
    assertThat(decide(a, main(5), entry(5, primary(a)), CheckReason.RECHECKED)).isEmpty();
  }

  @Test
  void noMoreReplicasThanAreSurplusGo() {
    Node b2 = TestNodes.node("b2", "r2", "z");
    live = List.of(a, a2, b, b2);
    settings = new CopySettings(2, true);
    DirectoryEntry one = entry(5, primary(a), replica(a2), replica(b), replica(b2));

    assertThat(decide(a2, replica(5L), one, CheckReason.RECHECKED))
        .containsExactly(new Notify(b2.id()));
    assertThat(decide(b2, replica(5L), one, CheckReason.RECHECKED))
        .containsExactly(released(b2, true, CheckReason.RECHECKED));
  }

  @Test
  void theDirectoryKnowsANewerVersionBeforeItsCopyGoes() {
    List<Holder> holders = List.of(primary(a), replica(b), replica(c));
    DirectoryEntry older = new DirectoryEntry(5, 1, 0, NEVER, true, false, holders, List.of());
    LocalCopy newer = new LocalCopy(7, 1, 0, NEVER, true, true, false);

    assertThat(decide(c, newer, older, CheckReason.RECHECKED))
        .containsExactly(
            new Announce(
                new Held(new Holder(c.id(), true), 7, 1, 0, NEVER, true, Set.of()),
                CheckReason.RECHECKED));
  }

  @Test
  void theExpiryFollowsThePrimaryCopy() {
    DirectoryEntry entry = entry(5, primary(a), replica(b));

    assertThat(decide(a, local(5, 100, false), entry, CheckReason.CHANGED).getFirst())
        .isInstanceOf(Announce.class);
    assertThat(decide(b, local(5, 100, true), entry, CheckReason.NOTIFIED))
        .containsExactly(new SetExpiry(NEVER));
    // The primary copy was evicted before its node notified the others.
    assertThat(
            decide(b, local(5, 100, true), entry(5, replica(b), replica(c)), CheckReason.NOTIFIED))
        .containsExactly(new SetExpiry(NEVER), new Notify(c.id()));
  }

  @Test
  void asksOtherHoldersIfTheDirectoryMayBeWrong() {
    assertThat(decide(a, main(5), entry(5, primary(a), replica(b)), CheckReason.FULL_CHECK))
        .containsExactly(new Notify(b.id()));
  }

  @Test
  void combinesReasons() {
    assertThat(CheckReason.CHANGED.and(CheckReason.CHANGED)).isEqualTo(CheckReason.CHANGED);
    assertThat(CheckReason.CHANGED.and(CheckReason.NOTIFIED)).isEqualTo(CheckReason.FULL_CHECK);
  }

  @Test
  void refusesATopologyWithoutThisNode() {
    live = List.of(b);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> decide(a, main(5), null, CheckReason.CHANGED))
        .withMessageContaining("%08x".formatted(a.id()));
  }

  private List<CopyAction> decide(
      Node self, @Nullable LocalCopy local, @Nullable DirectoryEntry entry, CheckReason reason) {
    ReplicaPlacement placement = new ReplicaPlacement(Topology.of(live));
    return new CopyDecisions(self.id(), placement, settings).decide(ID, local, entry, reason);
  }

  private static Announce released(Node node, boolean keep, CheckReason next) {
    return new Announce(new Released(node.id(), keep, Set.of()), next);
  }

  private static LocalCopy main(long version) {
    return local(version, NEVER, false);
  }

  private static LocalCopy replica(long version) {
    return local(version, NEVER, true);
  }

  private static LocalCopy local(long version, long expiresAt, boolean replica) {
    return new LocalCopy(version, 1, 0, expiresAt, false, replica, false);
  }

  private static Holder primary(Node node) {
    return new Holder(node.id(), false);
  }

  private static Holder replica(Node node) {
    return new Holder(node.id(), true);
  }

  private static DirectoryEntry entry(long version, Holder... holders) {
    return new DirectoryEntry(version, 1, 0, NEVER, false, false, List.of(holders), List.of());
  }

  private static DirectoryEntry withStale(DirectoryEntry entry, Node... stale) {
    List<Integer> nodes = new ArrayList<>();
    for (Node node : stale) {
      nodes.add(node.id());
    }
    return new DirectoryEntry(entry.version(), 1, 0, NEVER, false, false, entry.holders(), nodes);
  }
}
