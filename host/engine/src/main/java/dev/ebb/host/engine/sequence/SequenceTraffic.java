package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.stats.PromptTokens;
import dev.ebb.host.engine.stats.TrafficCounters;
import org.jspecify.annotations.Nullable;

/** The counters of sequences. Guarded by the engine's lock. */
public final class SequenceTraffic {

  long opened;
  long forked;
  long copied;
  long finished;
  long aborted;
  long preempted;
  long copiedOver;
  long arrived;
  long cancelledMigrations;
  long migratedBytes;
  final Histogram migrating = new Histogram();
  long compacted;
  public long promptTokens;
  public long matchedTokens;
  long diskTokens;
  long remoteTokens;
  public final PromptTokens tenants = new PromptTokens();
  public final PromptTokens models = new PromptTokens();

  void opened(Sequence sequence) {
    opened++;
    promptTokens += sequence.asked.length();
    matchedTokens += sequence.matchedTokens;
    tenants.add(tenant(sequence), sequence.asked.length(), sequence.matchedTokens);
    models.add(sequence.asked.namespace().model(), sequence.asked.length(), sequence.matchedTokens);
  }

  /** Counts blocks of a prefix copied from another device; their tokens count as matched. */
  void copiedOver(Sequence sequence, int blocks, int tokens) {
    copiedOver += blocks;
    matchedTokens += tokens;
    tenants.add(tenant(sequence), 0, tokens);
  }

  /** Counts tokens of a prefix that were read from the disk or a server; they count as matched. */
  void readBack(Sequence sequence, int fromDisk, int fromServer) {
    int tokens = fromDisk + fromServer;
    diskTokens += fromDisk;
    remoteTokens += fromServer;
    matchedTokens += tokens;
    tenants.add(tenant(sequence), 0, tokens);
    models.add(sequence.asked.namespace().model(), 0, tokens);
  }

  private static @Nullable String tenant(Sequence sequence) {
    return sequence.asked.facts().tenant();
  }

  /** Counts a sequence or prefix that moved here from another device. */
  void arrived(int blocks, long bytes, long nanos) {
    arrived += blocks;
    migratedBytes += bytes;
    migrating.add(nanos);
  }

  TrafficCounters counters() {
    return new TrafficCounters(
        opened,
        forked,
        finished,
        aborted,
        preempted,
        copied,
        copiedOver,
        arrived,
        migrating.count(),
        cancelledMigrations,
        migratedBytes,
        compacted,
        promptTokens,
        matchedTokens,
        diskTokens,
        remoteTokens);
  }

  void ended(SequenceState state) {
    switch (state) {
      case FINISHED -> finished++;
      case ABORTED -> aborted++;
      case PREEMPTED -> preempted++;
      case OPEN, MIGRATING -> throw new IllegalArgumentException("an open sequence has not ended");
    }
  }
}
