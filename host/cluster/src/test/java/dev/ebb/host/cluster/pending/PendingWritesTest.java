package dev.ebb.host.cluster.pending;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PendingWritesTest {

  private static final long CLIENT = 7;
  private static final int B = 2;
  private static final int C = 3;
  private static final int D = 4;

  private final PendingWrites writes = new PendingWrites(2);

  PendingWritesTest() {
    writes.nodes(Set.of(B, C));
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private void store(String key, long version) {
    writes.changed(bytes(key));
    writes.stored(CLIENT, bytes(key), version);
  }

  private void check(String key, long version, Integer... nodes) {
    writes.checked(bytes(key), writes.lastChange(), version, List.of(nodes), nodes.length < 2);
  }

  @Test
  void aClientWaitsForAllItsValues() {
    store("x", 10);
    store("y", 11);
    CompletableFuture<Integer> one = writes.await(CLIENT, 1, 0);
    CompletableFuture<Integer> two = writes.await(CLIENT, 2, 0);
    writes.confirmed(B, bytes("x"), 10);
    assertThat(one).isNotDone();
    writes.confirmed(B, bytes("y"), 11);
    assertThat(one).isCompletedWithValue(1);
    writes.confirmed(C, bytes("x"), 10);
    check("x", 10);
    assertThat(two).isNotDone();
    check("y", 11, B, C);
    assertThat(two).isCompletedWithValue(2);
    assertThat(writes.await(CLIENT, 2, 0)).isCompletedWithValue(2);
  }

  @Test
  void otherClientsAreNotWaitedFor() {
    store("x", 10);
    assertThat(writes.await(CLIENT + 1, 2, 0)).isCompletedWithValue(2);
    assertThat(writes.await(CLIENT, 0, 0)).isCompletedWithValue(0);
  }

  @Test
  void aCopyOfAnOlderVersionDoesNotCount() {
    store("x", 10);
    store("x", 20);
    writes.confirmed(B, bytes("x"), 10);
    assertThat(writes.await(CLIENT, 1, 0)).isNotDone();
    writes.confirmed(B, bytes("x"), 20);
    assertThat(writes.await(CLIENT, 1, 0)).isCompletedWithValue(1);
  }

  @Test
  void theCopyOfALostNodeDoesNotCount() {
    store("x", 10);
    writes.confirmed(B, bytes("x"), 10);
    writes.nodes(Set.of(C));
    assertThat(writes.await(CLIENT, 1, 0)).isNotDone();
  }

  @Test
  void theTimeLimitEndsTheWait() {
    store("x", 10);
    writes.confirmed(B, bytes("x"), 10);
    assertThat(writes.await(CLIENT, 2, 1).join()).isOne();
  }

  @Test
  void aValueThatIsRemovedIsNotWaitedFor() {
    store("x", 10);
    CompletableFuture<Integer> wait = writes.await(CLIENT, 2, 0);
    writes.removed(bytes("x"), writes.lastChange());
    assertThat(wait).isCompletedWithValue(2);
  }

  @Test
  void aCheckOfThePreviousValueChangesNothing() {
    store("x", 10);
    long before = writes.lastChange();
    store("x", 20);
    writes.checked(bytes("x"), before, 10, List.of(B, C), false);
    writes.removed(bytes("x"), before);
    assertThat(writes.await(CLIENT, 1, 0)).isNotDone();
  }

  @Test
  void aValueThatAnotherClientReplacesIsNotWaitedFor() {
    store("x", 10);
    writes.changed(bytes("x"));
    writes.stored(CLIENT + 1, bytes("x"), 20);
    assertThat(writes.await(CLIENT, 2, 0)).isCompletedWithValue(2);
    assertThat(writes.await(CLIENT + 1, 1, 0)).isNotDone();
  }

  @Test
  void noMoreNodesAreReportedThanExist() {
    PendingWrites alone = new PendingWrites(2);
    alone.nodes(Set.of(B));
    assertThat(alone.await(CLIENT, 1, 0)).isCompletedWithValue(1);
    assertThat(alone.await(CLIENT, 2, 1).join()).isOne();
  }

  /** Which of the values had copies on that node is not known any more. */
  @Test
  void theCopiesOfALostNodeAreMissingUntilAllValuesAreCheckedAndCopiedAgain() {
    store("x", 10);
    check("x", 10, B, C);
    writes.nodes(Set.of(C));
    writes.nodes(Set.of(C, D));
    CompletableFuture<Integer> wait = writes.await(CLIENT, 2, 0);
    assertThat(writes.await(CLIENT, 1, 0)).isCompletedWithValue(1);
    writes.allChecked(0);
    writes.arrived(0);
    writes.allChecked(writes.lostNodes());
    writes.arrived(Long.MAX_VALUE);
    assertThat(wait).isNotDone();
    writes.arrived(-1);
    assertThat(wait).isCompletedWithValue(2);
  }

  @Test
  void theLagCountsFromTheWriteAndEndsWithItsCopies() {
    store("x", 10);
    assertThat(writes.lagNanos()).isPositive();
    writes.found(bytes("x"), writes.lastChange(), 10);
    writes.confirmed(B, bytes("x"), 10);
    writes.confirmed(C, bytes("x"), 10);
    assertThat(writes.lagNanos()).isZero();

    store("no-room", 11);
    writes.checked(bytes("no-room"), writes.lastChange(), 11, List.of(), false);
    assertThat(writes.lagNanos()).isZero();
  }

  @Test
  void aValueIsLateOnceAfterEachChange() {
    store("x", 10);
    store("x", 11);
    store("y", 12);
    check("y", 12);
    assertThat(writes.late(-1_000_000_000)).containsExactly(bytes("x"));
    assertThat(writes.late(-1_000_000_000)).isEmpty();
    store("x", 13);
    assertThat(writes.late(1_000_000_000)).isEmpty();
    assertThat(writes.late(-1_000_000_000)).containsExactly(bytes("x"));
  }

  /** A pending value takes memory, whether a client waits for it or not. */
  @Test
  void nothingIsKeptOfValuesThatTheDirectoryListsWithTheirReplicas() {
    store("x", 10);
    check("x", 10, B, C);
    store("y", 11);
    writes.confirmed(B, bytes("y"), 11);
    writes.removed(bytes("y"), writes.lastChange());
    List<byte[]> keys = new ArrayList<>();
    writes.eachKey(keys::add);
    assertThat(keys).isEmpty();
  }
}
