package dev.ebb.host.hint;

import dev.ebb.host.cache.index.Retention;
import dev.ebb.host.errors.UntrustedText;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What became of hints: counts them, limits what each tenant retains, and finds out which were
 * right. A retention is right if another request needs the last chunk that it retains before it
 * ends. A pause of a session is right if another request needs the last chunk of the prompt within
 * twice the stated time. Thread-safe.
 */
public final class HintLedger {

  /** The types that are counted by name; a sender may invent any others. */
  private static final Set<String> TYPES =
      Set.of(
          "kv.retain",
          "vllm.set_priority",
          "kv.demote",
          "kv.fetch",
          "kv.prefetch",
          "kv.share",
          "kv.deref",
          "session.start",
          "session.pause",
          "session.end");

  private static final int MOST_RECORDS = 1_000;

  /** The most retentions whose end is awaited. */
  private static final int MOST_CLAIMS = 100_000;

  private final long mostTokens;
  private final LongSupplier nanos;
  private final Map<String, Map<HintOutcome, Long>> counts = new TreeMap<>();
  private final Map<String, Long> retained = new TreeMap<>();
  private final Deque<HintRecord> records = new ArrayDeque<>();

  /** By the last chunk that each retains. Only whether it is empty is read without the lock. */
  private final Map<Long, Claim> byChunk = new ConcurrentHashMap<>();

  /** Stated returns of sessions, by the last chunk of their prompt. */
  private final Map<Long, Claim> returns = new ConcurrentHashMap<>();

  /** By tenant and scope, of those that have one. */
  private final Map<List<String>, Claim> byScope = new HashMap<>();

  private final TreeSet<Claim> byEnd =
      new TreeSet<>(
          Comparator.<Claim>comparingLong(claim -> claim.untilNanos)
              .thenComparingLong(claim -> claim.serial));

  private long claims;

  /** A retention, or a stated return of a session, that has not ended. */
  private static final class Claim {
    private final long serial;
    private final Source source;
    private final HintResult result;
    private final @Nullable List<String> scope;
    private final long chunk;
    private final long tokens;
    private final long untilNanos;
    private boolean right;

    private Claim(
        long serial,
        Source source,
        HintResult result,
        @Nullable List<String> scope,
        long chunk,
        long tokens,
        long untilNanos) {
      this.serial = serial;
      this.source = source;
      this.result = result;
      this.scope = scope;
      this.chunk = chunk;
      this.tokens = tokens;
      this.untilNanos = untilNanos;
    }
  }

  /**
   * Where hints come from.
   *
   * @param tenant the tenant of the request; empty if unknown
   * @param request the client's name of the request
   * @param message the sender's id of the envelope
   */
  public record Source(String tenant, String request, String message) {}

  /**
   * Creates an empty ledger.
   *
   * @param mostTokens the most tokens that a tenant retains at the same time
   */
  public HintLedger(long mostTokens, LongSupplier nanos) {
    this.mostTokens = mostTokens;
    this.nanos = nanos;
  }

  /** Records the actions for a request, and refuses what exceeds the limits. */
  public synchronized List<HintResult> record(Source source, RequestHints hints, long[] chunks) {
    expire();
    int retained = hints.retainedChunks();
    if (retained > 0) {
      retain(source, hints, chunks[retained - 1]);
    }
    List<HintResult> results = hints.results();
    results.forEach(result -> add(source, result));
    if (hints.returnNanos() >= 0 && chunks.length > 0 && byEnd.size() < MOST_CLAIMS) {
      awaitReturn(source, hints, chunks[chunks.length - 1]);
    }
    return results;
  }

  private void awaitReturn(Source source, RequestHints hints, long chunk) {
    HintResult pause =
        hints.results().stream()
            .filter(each ->
                each.type().equals("session.pause") && each.outcome() == HintOutcome.APPLIED)
            .reduce((_, later) -> later)
            .orElseThrow();
    Claim before = returns.get(chunk);
    if (before != null) {
      // A request that says more has not had its chance yet.
      before.right |= before.source.request.equals(source.request);
      end(before);
    }
    long until = nanos.getAsLong() + 2 * hints.returnNanos();
    Claim claim = new Claim(++claims, source, pause, null, chunk, 0, until);
    byEnd.add(claim);
    returns.put(chunk, claim);
  }

  private void retain(Source source, RequestHints hints, long chunk) {
    Retention retention = hints.retention(nanos.getAsLong());
    if (retention == null) {
      return;
    }
    List<String> scope =
        retention.scope().isEmpty() ? null : List.of(source.tenant, retention.scope());
    Claim before = scope == null ? byChunk.get(chunk) : byScope.get(scope);
    long tokens = hints.retainedTokens();
    long others =
        retained.getOrDefault(source.tenant, 0L)
            - (before == null || !before.source.tenant.equals(source.tenant) ? 0 : before.tokens);
    if (others + tokens > mostTokens || byEnd.size() >= MOST_CLAIMS) {
      hints.refuseRetention(
          byEnd.size() >= MOST_CLAIMS
              ? "'%d' retentions have not ended, which is the most".formatted(MOST_CLAIMS)
              : "the tenant '%s' would retain '%d' tokens, and may '%d'; retain less, or raise ebb.server.hints.retained-tokens"
                  .formatted(source.tenant, others + tokens, mostTokens));
      return;
    }
    if (before != null) {
      // A request that says more has not had its chance yet.
      before.right |= before.source.request.equals(source.request);
      end(before);
    }
    HintResult first =
        hints.results().stream()
            .filter(each -> RequestHints.retains(each.type()))
            .findFirst()
            .orElseThrow();
    long until = retention.untilNanos(hints.retainedChunks() - 1);
    Claim claim = new Claim(++claims, source, first, scope, chunk, tokens, until);
    byEnd.add(claim);
    Claim same = byChunk.put(chunk, claim);
    if (same != null) {
      end(same);
      byChunk.put(chunk, claim);
    }
    if (scope != null) {
      byScope.put(scope, claim);
    }
    retained.merge(source.tenant, tokens, Long::sum);
  }

  /** Returns whether requests that begin can show something. */
  public boolean awaitsRequests() {
    return !byChunk.isEmpty() || !returns.isEmpty();
  }

  /** Records that a request begins, which shows which retentions of others were right. */
  public synchronized void began(long[] chunks) {
    expire();
    for (long chunk : chunks) {
      needed(byChunk.get(chunk));
      Claim back = returns.get(chunk);
      if (back != null) {
        needed(back);
        end(back);
      }
    }
  }

  private void needed(@Nullable Claim claim) {
    if (claim != null && !claim.right) {
      claim.right = true;
      add(claim.source, judged(claim, HintOutcome.RIGHT));
    }
  }

  private static HintResult judged(Claim claim, HintOutcome outcome) {
    return new HintResult(claim.result.action(), claim.result.type(), outcome, "");
  }

  private void expire() {
    long now = nanos.getAsLong();
    while (!byEnd.isEmpty() && byEnd.first().untilNanos <= now) {
      end(byEnd.first());
    }
  }

  private void end(Claim claim) {
    if (!byEnd.remove(claim)) {
      return;
    }
    byChunk.remove(claim.chunk, claim);
    returns.remove(claim.chunk, claim);
    if (claim.scope != null) {
      byScope.remove(claim.scope, claim);
    }
    retained.computeIfPresent(
        claim.source.tenant,
        (tenant, tokens) -> tokens > claim.tokens ? tokens - claim.tokens : null);
    if (!claim.right) {
      add(claim.source, judged(claim, HintOutcome.UNUSED));
    }
  }

  private void add(Source source, HintResult result) {
    counts
        .computeIfAbsent(
            TYPES.contains(result.type()) ? result.type() : "other",
            type -> new EnumMap<>(HintOutcome.class))
        .merge(result.outcome(), 1L, Long::sum);
    if (records.size() == MOST_RECORDS) {
      records.removeFirst();
    }
    records.add(
        new HintRecord(
            Instant.now(),
            UntrustedText.line(source.tenant),
            UntrustedText.line(source.request),
            UntrustedText.line(source.message),
            result));
  }

  public synchronized HintStats stats() {
    expire();
    Map<String, Map<HintOutcome, Long>> actions = new TreeMap<>();
    counts.forEach((type, outcomes) -> actions.put(type, Map.copyOf(outcomes)));
    return new HintStats(actions, Map.copyOf(retained), mostTokens);
  }

  /** Returns what became of the last actions, the latest last. */
  public synchronized List<HintRecord> records(int most) {
    return records.stream().skip(Math.max(0, records.size() - most)).toList();
  }
}
