package dev.ebb.host.hint;

import static dev.ebb.host.hint.RequestHintsTest.action;
import static dev.ebb.host.hint.RequestHintsTest.envelope;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HintLedgerTest {

  private static final long SECOND = 1_000_000_000;

  private long now;
  private final HintLedger ledger = new HintLedger(1_000, () -> now);

  private List<HintResult> retain(
      String tenant, String request, String scope, int chunks, int seconds, long... keys) {
    String payload =
        """
        {"scope": %s, "directives": [{"end": %d, "priority": 50, "duration": %d}]}\
        """
            .formatted(scope, chunks * 10, seconds);
    HintEnvelope envelope = HintEnvelope.parse(envelope(action("kv.retain", payload)));
    RequestHints.Target target =
        new RequestHints.Target(keys.length, 10, false, false, Long.MAX_VALUE);
    return ledger.record(
        new HintLedger.Source(tenant, request, "m"), RequestHints.of(envelope, target), keys);
  }

  private long count(HintOutcome outcome) {
    return ledger.stats().actions().getOrDefault("kv.retain", Map.of()).getOrDefault(outcome, 0L);
  }

  private void pause(String request, int seconds, long... keys) {
    String payload = "{\"return_after\": %d}".formatted(seconds);
    HintEnvelope envelope = HintEnvelope.parse(envelope(action("session.pause", payload)));
    RequestHints.Target target =
        new RequestHints.Target(keys.length, 10, false, false, Long.MAX_VALUE);
    ledger.record(
        new HintLedger.Source("a", request, "m"), RequestHints.of(envelope, target), keys);
  }

  private Map<HintOutcome, Long> pauses() {
    return ledger.stats().actions().getOrDefault("session.pause", Map.of());
  }

  @Test
  void aPauseIsRightIfTheSessionComesBackWithinTwiceTheTime() {
    pause("r1", 10, 1, 2, 3);
    pause("r2", 10, 1, 2, 4);
    assertThat(ledger.awaitsRequests()).isTrue();
    now = 19 * SECOND;
    ledger.began(new long[] {1, 2, 9});
    assertThat(pauses()).as("another prompt").isEqualTo(Map.of(HintOutcome.APPLIED, 2L));
    ledger.began(new long[] {1, 2, 3, 5});
    ledger.began(new long[] {1, 2, 3, 5});
    assertThat(pauses()).isEqualTo(Map.of(HintOutcome.APPLIED, 2L, HintOutcome.RIGHT, 1L));
    now = 20 * SECOND;
    ledger.began(new long[] {1, 2, 4});
    assertThat(pauses())
        .isEqualTo(Map.of(HintOutcome.APPLIED, 2L, HintOutcome.RIGHT, 1L, HintOutcome.UNUSED, 1L));
    assertThat(ledger.awaitsRequests()).isFalse();
    assertThat(ledger.records(10))
        .extracting(record -> record.request() + " " + record.result().outcome())
        .containsExactly("r1 applied", "r2 applied", "r1 right", "r2 unused");
  }

  @Test
  void aLaterPauseOfTheSameRequestReplacesTheOneBefore() {
    retain("a", "r1", "null", 3, 5, 1, 2, 3);
    pause("r1", 1, 1, 2, 3);
    pause("r1", 60, 1, 2, 3);
    now = 100 * SECOND;
    ledger.began(new long[] {1, 2, 3});
    assertThat(pauses()).isEqualTo(Map.of(HintOutcome.APPLIED, 2L, HintOutcome.RIGHT, 1L));
    assertThat(count(HintOutcome.UNUSED)).as("of the retention").isEqualTo(1);
  }

  @Test
  void limitsWhatATenantRetainsAndFreesItAtTheEnd() {
    long[] long90 = new long[90];
    for (int i = 0; i < long90.length; i++) {
      long90[i] = 100L + i;
    }
    retain("a", "r1", "null", 90, 5, long90);

    assertThat(retain("a", "r2", "null", 11, 5, new long[11]).getFirst())
        .satisfies(refused -> {
          assertThat(refused.outcome()).isEqualTo(HintOutcome.REFUSED);
          assertThat(refused.reason()).contains("'1010'", "'1000'", "retained-tokens");
        });
    assertThat(retain("b", "r3", "null", 11, 5, new long[11]).getFirst().outcome())
        .as("another tenant")
        .isEqualTo(HintOutcome.APPLIED);

    now = 5 * SECOND;
    assertThat(ledger.stats().retainedTokens()).isEmpty();
    assertThat(count(HintOutcome.UNUSED)).isEqualTo(2);
  }

  @Test
  void aLaterClaimOfTheSameScopeReplacesTheOneBefore() {
    retain("a", "r1", "\"run\"", 2, 100, 1, 2);
    ledger.began(new long[] {1, 2, 3, 4});
    retain("a", "r2", "\"run\"", 4, 100, 1, 2, 3, 4);

    assertThat(ledger.stats().retainedTokens()).isEqualTo(Map.of("a", 40L));
    assertThat(count(HintOutcome.RIGHT)).isEqualTo(1);
    assertThat(count(HintOutcome.UNUSED)).isZero();
  }

  /** Claims without a scope, each on its own chunks, against a list of all that was claimed. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void agreesWithANaiveLedger(long seed) {
    record Claim(String tenant, String request, long chunk, long tokens, long until) {}
    Random random = new Random(seed);
    List<Claim> claims = new ArrayList<>();
    Map<HintOutcome, Long> expected = new EnumMap<>(HintOutcome.class);
    List<Claim> right = new ArrayList<>();
    for (int step = 0; step < 3_000; step++) {
      now += random.nextInt(3) * SECOND;
      for (Claim over : List.copyOf(claims)) {
        if (over.until <= now) {
          claims.remove(over);
          if (!right.contains(over)) {
            expected.merge(HintOutcome.UNUSED, 1L, Long::sum);
          }
        }
      }
      int base = random.nextInt(12) * 100;
      long[] keys = new long[1 + random.nextInt(30)];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = (long) base + i;
      }
      ledger.began(keys);
      for (Claim claim : claims) {
        if (claim.chunk >= base && claim.chunk < base + keys.length && !right.contains(claim)) {
          right.add(claim);
          expected.merge(HintOutcome.RIGHT, 1L, Long::sum);
        }
      }
      if (random.nextInt(3) == 0) {
        String tenant = "t" + base % 3;
        int chunks = 1 + random.nextInt(keys.length);
        int seconds = 1 + random.nextInt(200);
        long chunk = (long) base + chunks - 1;
        Claim same = claims.stream().filter(each -> each.chunk == chunk).findFirst().orElse(null);
        long others =
            claims.stream()
                .filter(each -> each.tenant.equals(tenant) && !each.equals(same))
                .mapToLong(Claim::tokens)
                .sum();
        boolean fits = others + chunks * 10L <= 1_000;
        List<HintResult> results = retain(tenant, "r" + step, "null", chunks, seconds, keys);
        assertThat(results.getFirst().outcome())
            .isEqualTo(fits ? HintOutcome.APPLIED : HintOutcome.REFUSED);
        expected.merge(fits ? HintOutcome.APPLIED : HintOutcome.REFUSED, 1L, Long::sum);
        if (fits) {
          claims.remove(same);
          claims.add(new Claim(tenant, "r" + step, chunk, chunks * 10L, now + seconds * SECOND));
        }
      }
    }

    Map<String, Long> tokens = new HashMap<>();
    claims.forEach(each -> tokens.merge(each.tenant, each.tokens, Long::sum));
    assertThat(ledger.stats().retainedTokens()).isEqualTo(tokens);
    assertThat(ledger.stats().actions()).isEqualTo(Map.of("kv.retain", expected));
    assertThat(expected.keySet()).hasSize(4);
    assertThat(ledger.records(10_000)).hasSize(1_000);
  }
}
