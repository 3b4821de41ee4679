package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.shadow.Recording.Access;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is recorded of requests, which may be reported in parts. */
class RecordingTest {

  private final AtomicLong now = new AtomicLong();
  private final ObjectSite site = new ObjectSite(100, now::get);
  private final Recording recording = new Recording(site);
  private final List<Access> accesses = new ArrayList<>();

  @AfterEach
  void close() {
    recording.close();
    site.close();
  }

  /** Reports the keys from 1 on. */
  private void report(long serial, int matched, int counted, int... weights) {
    long[] keys = LongStream.range(0, 2L * weights.length).map(i -> i / 2 + 1).toArray();
    CacheRequest request = CacheRequest.report(RequestFacts.UNKNOWN, keys, weights, matched);
    request.part(serial, counted, counted);
    site.began(request);
  }

  private void advance(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private int recorded() throws InterruptedException {
    accesses.addAll(recording.next(1));
    accesses.addAll(recording.next(1));
    return accesses.size();
  }

  @Test
  void aRequestOfBlocksIsRecordedImmediately() throws InterruptedException {
    report(0, 1, 0, 1, 1);
    assertThat(recorded()).isOne();
    assertThat(accesses.getFirst().ids()).hasSize(2);
    assertThat(accesses.getFirst().bytes()).isOne();
  }

  @Test
  void partsOfARequestAreRecordedAsOne() throws InterruptedException {
    report(5, 2, 0, 10, 20, 0);
    advance(Duration.ofSeconds(29));
    assertThat(recorded()).as("the third is missing and may be stored").isZero();
    report(5, 2, 3, 10, 20, 30, 40);
    report(6, 0, 0, 10);
    advance(Duration.ofMillis(900));
    assertThat(recorded()).isZero();
    advance(Duration.ofMillis(200));
    assertThat(recorded()).isEqualTo(2);

    Access first = accesses.getFirst();
    assertThat(first.ids()).hasSize(4).doesNotHaveDuplicates();
    assertThat(first.bytes()).isEqualTo(30);
    assertThat(first.nanos()).as("when it began").isZero();
    assertThat(accesses.getLast().ids()).containsExactly(first.ids()[0]);
    assertThat(accesses.getLast().bytes()).isZero();
  }

  @Test
  void aMissingBlockIsWaitedForHalfAMinute() throws InterruptedException {
    report(5, 1, 0, 10, 0);
    advance(Duration.ofSeconds(30));
    assertThat(recorded()).isZero();
    advance(Duration.ofSeconds(1));
    assertThat(recorded()).isOne();
    assertThat(accesses.getFirst().ids()).hasSize(2);
  }

  @Test
  void aPromptOfAHybridModelIsRecordedWithItsGroups() throws InterruptedException {
    CacheRequest request =
        CacheRequest.report(RequestFacts.UNKNOWN, new long[] {1, 1, 2, 2}, new int[] {40, 10}, 1);
    request.objects(ObjectGroups.parseSized("groups", "full:10,state:30"));
    request.part(5, 0, 0);
    site.began(request);
    advance(Duration.ofSeconds(2));

    assertThat(recorded()).isOne();
    assertThat(accesses.getFirst().ids()).hasSize(2);
    assertThat(accesses.getFirst().groups()).hasToString("full:1,state:3");
    report(0, 0, 0, 1);
    assertThat(recorded()).isEqualTo(2);
    assertThat(accesses.getLast().groups()).isNull();
  }

  @Test
  void theAnswerOfARecordedRequestIsNotAnother() throws InterruptedException {
    report(5, 1, 0, 10, 20);
    advance(Duration.ofSeconds(2));
    assertThat(recorded()).isOne();
    report(5, 1, 2, 10, 20);
    advance(Duration.ofSeconds(60));
    assertThat(recorded()).isOne();
  }
}
