package dev.ebb.host.cluster.directory;

import static dev.ebb.host.cluster.directory.DirectoryEntry.apply;
import static dev.ebb.host.cluster.directory.DirectoryEntry.merge;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.Change.Deleted;
import dev.ebb.host.cluster.directory.Change.Held;
import dev.ebb.host.cluster.directory.Change.Merged;
import dev.ebb.host.cluster.directory.Change.Released;
import dev.ebb.host.testing.Histories;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryRulesTest {

  @Test
  void aNewerVersionReplacesTheHolders() {
    DirectoryEntry entry = entry(held(1, 1, false), held(2, 1, true), held(3, 2, false));

    assertThat(entry.version()).isEqualTo(2);
    assertThat(entry.holders()).containsExactly(new Holder(3, false));
    assertThat(entry.stale()).containsExactly(1, 2);
  }

  @Test
  void aNodeIsStaleUntilItReleasesItsOldCopy() {
    DirectoryEntry entry = entry(held(1, 1, false), held(2, 1, true), held(3, 2, false));

    assertThat(apply(entry, new Released(1, true, Set.of())))
        .isEqualTo(entry.with(entry.holders(), List.of(2)));
    assertThat(apply(entry, new Released(9, true, Set.of(1, 2))))
        .isEqualTo(entry.with(entry.holders(), List.of()));
    assertThat(apply(entry, held(1, 2, true)))
        .isEqualTo(entry.with(List.of(new Holder(3, false), new Holder(1, true)), List.of(2)));
  }

  @Test
  void anEntryWithStaleCopiesOnlyIsDeleted() {
    DirectoryEntry entry = entry(held(1, 1, false), held(3, 2, false));

    assertThat(apply(entry, new Released(3, true, Set.of())))
        .isEqualTo(DirectoryEntry.tombstone(2, List.of(1)));
  }

  @Test
  void aStaleNodeThatHasFetchedTheNewVersionReplacesHoldersThatHaveLeft() {
    DirectoryEntry overwritten = entry(held(1, 5, false), held(2, 6, false));
    assertThat(overwritten.stale()).containsExactly(1);
    Change replica = new Held(new Holder(1, true), 6, 100, 5, Long.MAX_VALUE, false, Set.of(2));
    DirectoryEntry entry = repaired(overwritten, replica);
    assertThat(entry.deleted()).isFalse();
    assertThat(entry.holders()).containsExactly(new Holder(1, true));
    assertThat(entry.stale()).isEmpty();
  }

  @Test
  void anOutdatedAnnouncementRemovesNoHolderOfANewerVersion() {
    DirectoryEntry entry = entry(held(1, 2, false));
    Change late = new Held(new Holder(3, true), 1, 10, 1, 100, false, Set.of(1));

    assertThat(repaired(entry, late).holders()).containsExactly(new Holder(1, false));
    assertThat(repaired(entry, late).stale()).containsExactly(3);
  }

  @Test
  void anOlderVersionIsNotAdded() {
    DirectoryEntry entry = entry(held(1, 2, false), held(2, 1, false));

    assertThat(entry.of(2)).isNull();
    assertThat(entry.stale()).containsExactly(2);
    assertThat(entry.version()).isEqualTo(2);
  }

  @Test
  void immutableCopiesOfAllVersionsAreHolders() {
    DirectoryEntry entry =
        entry(immutable(1, 2, false), immutable(2, 1, false), immutable(3, 3, true));

    assertThat(entry.version()).isEqualTo(3);
    assertThat(entry.holders())
        .containsExactly(new Holder(1, false), new Holder(2, false), new Holder(3, true));
  }

  @Test
  void aPromotedReplicaComesBeforeReplicas() {
    DirectoryEntry entry =
        entry(held(1, 1, true), held(2, 1, true), held(3, 1, true), held(3, 1, false));

    assertThat(entry.holders())
        .containsExactly(new Holder(3, false), new Holder(1, true), new Holder(2, true));
  }

  @Test
  void anEvictedPrimaryKeepsOrRemovesItsReplicas() {
    List<Change> copies = List.of(held(1, 1, false), held(2, 1, true));

    assertThat(all(copies, new Released(1, true, Set.of())).holders())
        .containsExactly(new Holder(2, true));
    assertThat(all(copies, new Released(1, false, Set.of())))
        .isEqualTo(DirectoryEntry.tombstone(1, List.of(2)));
    assertThat(apply(entry(held(1, 1, false)), new Released(1, false, Set.of()))).isNull();
    assertThat(
            entry(immutable(1, 1, false), immutable(2, 1, false), new Released(1, false, Set.of()))
                .holders())
        .containsExactly(new Holder(2, false));
    assertThat(all(copies, new Released(2, false, Set.of())).holders())
        .containsExactly(new Holder(1, false));
  }

  @Test
  void aDeletedValueIsRevivedByANewerVersionOnly() {
    DirectoryEntry deleted = entry(held(1, 1, false), new Deleted(2));

    assertThat(deleted).isEqualTo(DirectoryEntry.tombstone(2, List.of(1)));
    assertThat(apply(deleted, held(1, 1, false))).isEqualTo(deleted);
    assertThat(apply(deleted, immutable(1, 2, false))).isEqualTo(deleted);
    assertThat(entry(held(1, 1, false), new Deleted(2), held(1, 3, false)).holders()).hasSize(1);
    assertThat(entry(held(1, 3, false), new Deleted(2)).deleted()).isFalse();
  }

  @Test
  void copiesOfNodesThatHaveLeftAreRemoved() {
    Held added = new Held(new Holder(3, true), 1, 10, 1, 5, false, Set.of(1));

    assertThat(entry(held(1, 1, false), held(2, 1, true), added).holders())
        .containsExactly(new Holder(2, true), new Holder(3, true));
    assertThat(apply(entry(held(1, 1, false)), new Released(9, true, Set.of(1)))).isNull();
  }

  @Test
  void theTimeToLiveFollowsThePrimaryCopy() {
    Held shorter = new Held(new Holder(1, false), 1, 10, 1, 5, false, Set.of());
    Held late = new Held(new Holder(2, true), 1, 10, 1, 50, false, Set.of());

    assertThat(entry(held(1, 1, false), shorter, late).expiresAt()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void changesHaveTheEffectOfTheModel(long seed) {
    boolean immutable = seed % 2 == 0;
    RandomEntries random = new RandomEntries(seed);
    for (int run = 0; run < 500; run++) {
      DirectoryEntry entry = null;
      Model model = new Model();
      for (int step = 0; step < 12; step++) {
        Change change = random.change(immutable);
        entry = apply(entry, change);
        model.apply(change);

        model.check(entry);
        assertThat(apply(entry, change)).as("%s again", change).isEqualTo(entry);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void mergesOfPartitionsDoNotDependOnTheirOrder(long seed) {
    RandomEntries random = new RandomEntries(seed);
    for (int i = 0; i < Histories.times(4_000); i++) {
      DirectoryEntry a = random.entry();
      DirectoryEntry b = random.entry();
      DirectoryEntry c = random.entry();

      assertThat(merge(a, a)).isEqualTo(a);
      assertThat(merge(a, b)).as("%s and %s", a, b).isEqualTo(merge(b, a));
      assertThat(merge(merge(a, b), c))
          .as("%s, %s and %s", a, b, c)
          .isEqualTo(merge(a, merge(b, c)));
      assertThat(merge(merge(a, b), a)).isEqualTo(merge(a, b));
      Change repair = new Merged(merge(a, b));
      assertThat(List.of(entry(repair), repaired(a, repair), repaired(b, repair)))
          .as("%s and %s", a, b)
          .containsOnly(merge(a, b));
    }
  }

  @Test
  void partitionsMergeByUnionOrByTheNewestVersion() {
    assertThat(merge(entry(immutable(1, 1, false)), entry(immutable(2, 2, true))).holders())
        .containsExactly(new Holder(1, false), new Holder(2, true));
    DirectoryEntry newest = merge(entry(held(1, 1, false)), entry(held(2, 2, false)));
    assertThat(newest.holders()).containsExactly(new Holder(2, false));
    assertThat(newest.stale()).containsExactly(1);
    assertThat(merge(entry(held(1, 1, false)), entry(held(2, 1, true))).holders()).hasSize(2);
    assertThat(merge(entry(held(1, 1, false)), DirectoryEntry.tombstone(1, List.of())).deleted())
        .isTrue();
    assertThat(merge(entry(held(1, 2, false)), DirectoryEntry.tombstone(1, List.of())).deleted())
        .isFalse();
  }

  /** All copies with their versions, and the newest version that an entry has had. */
  private static final class Model {

    private record Copy(Holder holder, long version) {}

    private static final long NONE = Long.MIN_VALUE;

    private List<Copy> copies = new ArrayList<>();
    private final Set<Integer> stale = new TreeSet<>();
    private long newest = NONE;
    private long deleted = NONE;

    void apply(Change change) {
      switch (change) {
        case Held held -> {
          int node = held.holder().node();
          if (deleted == NONE && held.version() == newest) {
            add(new Copy(held.holder(), newest));
            stale.remove(node);
          }
          boolean outdated =
              held.version() <= deleted || (held.version() < newest && !held.immutable());
          if (!outdated) {
            remove(held.gone());
          }
          if (held.version() > deleted && (held.immutable() || held.version() >= newest)) {
            deleted = NONE;
            newest = Math.max(newest, held.version());
            add(new Copy(held.holder(), held.version()));
            if (!held.immutable()) {
              copies.stream()
                  .filter(copy -> copy.version() < newest)
                  .forEach(copy -> stale.add(copy.holder().node()));
              copies.removeIf(copy -> copy.version() < newest);
            }
            stale.remove(node);
          } else if (!nodes().contains(node)) {
            stale.add(node);
          }
        }
        case Released released -> {
          remove(released.gone());
          boolean first = !copies.isEmpty() && copies.getFirst().holder().node() == released.node();
          boolean drop =
              first
                  && !released.keepReplicas()
                  && copies.stream().skip(1).allMatch(copy -> copy.holder().replica());
          if (drop && copies.size() > 1) {
            delete(newest);
          }
          remove(Set.of(released.node()));
        }
        case Merged repair -> throw new AssertionError("versions of its copies are not known");
        case Deleted request -> {
          if (request.version() >= Math.max(newest, deleted)) {
            delete(request.version());
          }
        }
      }
    }

    private void delete(long version) {
      stale.addAll(nodes());
      copies.clear();
      newest = NONE;
      deleted = version;
    }

    private void add(Copy added) {
      int place = 0;
      while (place < copies.size() && copies.get(place).holder().node() != added.holder().node()) {
        place++;
      }
      if (place < copies.size()) {
        copies.set(place, added);
      } else {
        copies.add(added);
      }
      List<Copy> sorted = new ArrayList<>();
      copies.stream().filter(copy -> !copy.holder().replica()).forEach(sorted::add);
      copies.stream().filter(copy -> copy.holder().replica()).forEach(sorted::add);
      copies = sorted;
    }

    private void remove(Set<Integer> nodes) {
      copies.removeIf(copy -> nodes.contains(copy.holder().node()));
      stale.removeAll(nodes);
      if (copies.isEmpty()) {
        deleted = deleted == NONE && !stale.isEmpty() ? newest : deleted;
        newest = NONE;
      }
    }

    private Set<Integer> nodes() {
      return copies.stream().map(copy -> copy.holder().node()).collect(Collectors.toSet());
    }

    void check(@Nullable DirectoryEntry entry) {
      if (copies.isEmpty() && deleted == NONE) {
        assertThat(entry).isNull();
        return;
      }
      DirectoryEntry present = Objects.requireNonNull(entry);
      assertThat(present.deleted()).isEqualTo(deleted != NONE);
      assertThat(present.version()).isEqualTo(Math.max(newest, deleted));
      assertThat(present.stale()).containsExactlyElementsOf(stale);
      assertThat(present.holders())
          .containsExactlyElementsOf(copies.stream().map(Copy::holder).toList());
    }
  }

  private static DirectoryEntry repaired(DirectoryEntry entry, Change repair) {
    return Objects.requireNonNull(apply(entry, repair));
  }

  private static DirectoryEntry entry(Change... changes) {
    DirectoryEntry entry = null;
    for (Change change : changes) {
      entry = apply(entry, change);
    }
    return Objects.requireNonNull(entry);
  }

  private static DirectoryEntry all(List<Change> changes, Change last) {
    List<Change> all = new ArrayList<>(changes);
    all.add(last);
    return entry(all.toArray(Change[]::new));
  }

  private static Change held(int node, long version, boolean replica) {
    return new Held(new Holder(node, replica), version, 10, 1, 100, false, Set.of());
  }

  private static Change immutable(int node, long version, boolean replica) {
    return new Held(new Holder(node, replica), version, 10, 1, 100, true, Set.of());
  }
}
