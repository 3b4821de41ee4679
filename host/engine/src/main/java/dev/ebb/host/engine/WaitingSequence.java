package dev.ebb.host.engine;

import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.Request;
import org.jspecify.annotations.Nullable;

/** What policies see of a request that waits to be admitted. Immutable, for any thread. */
final class WaitingSequence implements Request {

  private final RequestFacts facts;
  private final int tokens;
  private final long[] fingerprints;

  WaitingSequence(SequenceRequest asked, KeyChain chain) {
    facts = asked.facts();
    tokens = asked.length();
    fingerprints = new long[chain.blocks()];
    for (int i = 0; i < fingerprints.length; i++) {
      fingerprints[i] = chain.low(i);
    }
  }

  @Override
  public int blocks() {
    return fingerprints.length;
  }

  @Override
  public int matched() {
    return 0;
  }

  @Override
  public long fingerprint(int index) {
    return fingerprints[index];
  }

  @Override
  public long inputTokens() {
    return tokens;
  }

  @Override
  public long outputTokens() {
    return -1;
  }

  @Override
  public long sequenceId() {
    return facts.sequenceId();
  }

  @Override
  public int turn() {
    return facts.turn();
  }

  @Override
  public int priority() {
    return facts.priority();
  }

  @Override
  public @Nullable String tenant() {
    return facts.tenant();
  }

  @Override
  public @Nullable String workload() {
    return facts.workload();
  }

  @Override
  public int hint() {
    return facts.hint();
  }

  @Override
  public long lifetimeHintNanos() {
    return facts.lifetimeNanos();
  }

  @Override
  public double recomputeCost() {
    return facts.recomputeCost();
  }
}
