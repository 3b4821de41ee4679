package dev.ebb.host.scheduler;

import java.util.List;
import java.util.function.IntFunction;

/**
 * The KV memory of an engine, as the scheduler needs it. It knows the tokens of a request from its
 * payload. The scheduler calls it on its thread.
 */
public interface SchedulerMemory<P> {

  /** The answer of {@link #admit} if there is no room. */
  int NO_ROOM = -1;

  /**
   * The answer of {@link #admit} if a running request is about to compute the next tokens of the
   * request's prefix. They will be cached after a step.
   */
  int IN_PROGRESS = -2;

  /** Returns the largest number of tokens that one request can have memory for. */
  long capacityTokens();

  /**
   * Matches the longest cached prefix of a request's {@link ScheduledRequest#tokens} and takes
   * memory for the other tokens: for all of them, or for none.
   *
   * @return the matched tokens, {@link #NO_ROOM} or {@link #IN_PROGRESS}
   */
  int admit(ScheduledRequest<P> request);

  /**
   * Takes memory for an admitted request's newer tokens; returns false, unchanged, without room.
   */
  boolean grow(ScheduledRequest<P> request);

  /**
   * Reports that a step has computed tokens of a request, which goes on. The K and V of its {@link
   * ScheduledRequest#computedTokens} can be shared from now on.
   */
  default void computed(ScheduledRequest<P> request) {}

  /**
   * Releases the memory of an admitted request, which is now preempted or ended. The K and V of its
   * {@link ScheduledRequest#computedTokens} may stay cached, unless it has failed.
   */
  void release(ScheduledRequest<P> request);

  /**
   * Returns how many more tokens must become free until {@link #admit} succeeds; 0 if it would
   * succeed now.
   */
  long shortage(ScheduledRequest<P> request);

  /**
   * Returns the pressure on the memory, which a {@link BatchSizeController} follows. The scheduler
   * asks about once a second.
   *
   * @return {@link MemoryPressure#UNKNOWN} if it is not measured; then the batch size is fixed
   */
  default MemoryPressure pressure() {
    return MemoryPressure.UNKNOWN;
  }

  /** Returns the receiver of what the scheduler does; asked once, when it is created. */
  default SchedulerObserver observer() {
    return SchedulerObserver.NONE;
  }

  /**
   * Receives a view of the queue, once, when the scheduler is created. It returns at most a given
   * number of requests, in the order in which they are expected to be admitted. {@link #admit} can
   * ask it; the request that is admitted is still among them.
   */
  default void queue(IntFunction<List<ScheduledRequest<P>>> first) {}

  /** Returns how many tokens become free if an admitted request is released. */
  long held(ScheduledRequest<P> request);
}
