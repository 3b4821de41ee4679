package dev.ebb.spi;

import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Runs tasks that take longer than an event may, such as training a model, on a thread of the host.
 *
 * <pre>{@code
 * if (samples.isFull()) {
 *   Samples batch = samples.copy();
 *   if (background.submit(() -> Model.train(batch), trained -> model = trained)) {
 *     samples.clear();
 *   }
 * }
 * }</pre>
 *
 * <p>A task works on data of its own: the policy goes on meanwhile, and changes its fields. In a
 * replay, the task runs while the policy waits, a fixed number of events after it was submitted, so
 * that runs can be repeated exactly.
 *
 * <p>Before the policy's classes are unloaded, the host interrupts a running task. A task should
 * end soon then: check {@link Thread#interrupted} in long loops.
 *
 * @since 1.6.0
 */
public interface Background {

  /**
   * Starts a task, unless the previous one runs or its result has not been handed back.
   *
   * <p>If the task throws or returns null, the host logs that, and {@code done} is not called. A
   * replay and the test kit fail instead.
   *
   * @param task called once on a thread of the host
   * @param done receives the result on the policy's thread, between two events
   * @param <T> the result
   * @return whether the task was accepted
   */
  <T> boolean submit(Callable<T> task, Consumer<? super T> done);
}
