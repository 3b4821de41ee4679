package dev.ebb.host.cache;

import dev.ebb.spi.Demand;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where the policy runs, and how it is asked. */
sealed interface PolicyExecutor extends AutoCloseable
    permits InlinePolicyExecutor, ThreadedPolicyExecutor {

  /**
   * Takes events.
   *
   * @param filled the next events, which the watchers have seen
   * @return an empty batch to fill
   */
  EventBatch accept(EventBatch filled);

  /** The first event since all were handed over is about to be written. */
  void stirred();

  /** An operation is over: what cannot be done in the middle of one may be done now. */
  void rest();

  /** Room was given up, or entries may leave that could not. */
  void roomMade();

  /** Begins to put a policy in force, as {@link BlockCache#begin(PolicyCandidate)}. */
  PendingSwitch begin(PolicyCandidate successor);

  /** Frees room until so many blocks are free, as {@link BlockCache#reserve}. */
  boolean makeRoom(long blocks, RequestFacts asker);

  /** Frees so many blocks, as {@link BlockCache#evict}. */
  long evict(long blocks, Demand.Reason reason, RequestFacts asker);

  /** Tells the policy of another capacity. */
  void resized(long capacityBlocks);

  /**
   * Asks the policy in force something, after all events so far.
   *
   * @return the answer; null if there is none
   */
  <T> @Nullable T ask(Function<PolicyConsumer<?>, @Nullable T> question);

  /** What made the last policy fail. */
  @Nullable PolicyFault lastFault();

  /** The policy's own thread in numbers. */
  PolicyThreadStats thread();

  /** The policy's inner state, if it runs on its own thread. */
  Map<String, Double> gauges();

  @Override
  void close();
}
