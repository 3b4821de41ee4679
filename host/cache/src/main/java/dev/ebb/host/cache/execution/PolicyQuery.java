package dev.ebb.host.cache.execution;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A query that a policy answers on its own thread. */
final class PolicyQuery<T> {

  private final Function<PolicyConsumer<?>, @Nullable T> function;
  private @Nullable T answer;
  private boolean over;

  PolicyQuery(Function<PolicyConsumer<?>, @Nullable T> function) {
    this.function = function;
  }

  /** Runs the query, on the policy's thread. */
  void put(PolicyConsumer<?> consumer) {
    answer = function.apply(consumer);
  }

  /** Ends the query, answered or not. Under the owner's lock. */
  void over() {
    over = true;
  }

  boolean isOver() {
    return over;
  }

  @Nullable T answer() {
    return answer;
  }
}
