package dev.ebb.testkit;

import dev.ebb.spi.PolicyContext;
import java.util.function.Function;
import java.util.function.Supplier;

/** Calls of a strategy that turn whatever it throws into a finding. */
final class Calls {

  private Calls() {}

  static <T> T ask(String call, Supplier<T> body) {
    return ask(Rule.NO_EXCEPTION, call, body);
  }

  static void run(String call, Runnable body) {
    ask(
        call,
        () -> {
          body.run();
          return true;
        });
  }

  static void close(AutoCloseable strategy) {
    try {
      strategy.close();
    } catch (Throwable thrown) {
      throw Violation.thrown(Rule.NO_EXCEPTION, "close()", thrown);
    }
  }

  /** Makes an instance; after that, the context's settings may not be read. */
  static <T> T create(Function<? super PolicyContext, T> provider, TestContext context) {
    String call = "create() at capacity " + context.capacityBlocks();
    T made = ask(Rule.CREATION, call, () -> provider.apply(context));
    if (made == null) {
      throw new Violation(Rule.CREATION, call + " returned null");
    }
    context.created();
    return made;
  }

  private static <T> T ask(Rule rule, String call, Supplier<T> body) {
    try {
      return body.get();
    } catch (Violation violation) {
      throw violation;
    } catch (Throwable thrown) {
      throw Violation.thrown(rule, call, thrown);
    }
  }
}
