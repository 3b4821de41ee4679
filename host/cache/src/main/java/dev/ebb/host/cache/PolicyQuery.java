package dev.ebb.host.cache;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Something that a policy is asked on its own thread.
 *
 * @param <T> the answer's type
 */
final class PolicyQuery<T> {

  private final Function<PolicyConsumer<?>, @Nullable T> question;
  private @Nullable T answer;
  private boolean over;

  PolicyQuery(Function<PolicyConsumer<?>, @Nullable T> question) {
    this.question = question;
  }

  /** Asks, on the policy's thread. */
  void put(PolicyConsumer<?> consumer) {
    answer = question.apply(consumer);
  }

  /** It is answered, or will never be. Under the owner's lock. */
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
