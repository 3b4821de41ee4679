package dev.ebb.testkit;

import dev.ebb.spi.PolicyContext;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The checks for the creation of instances by providers of every kind. */
final class CreationChecks {

  private static final long[] CAPACITIES = {1, 2, 100, 1_000_000};

  private final Supplier<String> name;
  private final Function<PolicyContext, ? extends AutoCloseable> provider;
  private final CheckSettings settings;

  CreationChecks(
      Supplier<String> name,
      Function<PolicyContext, ? extends AutoCloseable> provider,
      CheckSettings settings) {
    this.name = name;
    this.provider = provider;
    this.settings = settings;
  }

  List<Check> all() {
    return List.of(
        settings.check("has a valid name", seed -> Names.check(name)),
        settings.check("is created at any capacity", this::anyCapacity),
        settings.check("reads its settings when created", this::readsSettings),
        settings.check("reads no clock but the context's", this::clock),
        settings.check("may be closed twice", this::closes));
  }

  private String anyCapacity(long seed) {
    for (long capacity : CAPACITIES) {
      AutoCloseable first = Calls.create(provider, settings.context(capacity, seed));
      AutoCloseable second = Calls.create(provider, settings.context(capacity, seed));
      if (first == second && hasState(first.getClass())) {
        throw new Violation(
            Rule.CREATION, "create() returned the same instance twice, and it has fields");
      }
      Calls.close(second);
      Calls.close(first);
    }
    return "";
  }

  /** One instance without fields serves all, such as a lambda that captures nothing. */
  private static boolean hasState(@Nullable Class<?> type) {
    return type != null
        && (Stream.of(type.getDeclaredFields())
                .anyMatch(field -> !Modifier.isStatic(field.getModifiers()))
            || hasState(type.getSuperclass()));
  }

  private String readsSettings(long seed) {
    TestContext context = settings.context(100, seed);
    Calls.close(Calls.create(provider, context));
    if (!context.unreadSettings().isEmpty()) {
      throw new Violation(
          Rule.SETTINGS, "create() did not read the settings " + context.unreadSettings());
    }
    return settings.settings().isEmpty() ? "defaults only" : settings.settings().toString();
  }

  private String clock(long seed) {
    AutoCloseable made = Calls.create(provider, settings.context(100, seed));
    String read = ClockCheck.check(made);
    Calls.close(made);
    return read;
  }

  private String closes(long seed) {
    AutoCloseable made = Calls.create(provider, settings.context(100, seed));
    Calls.close(made);
    try {
      made.close();
    } catch (Throwable thrown) {
      throw Violation.thrown(Rule.CLOSE, "the second close()", thrown);
    }
    return "";
  }
}
