package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Request;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Providers that are wrong before the first entry is inserted. */
class BrokenProviderTest {

  @TestFactory
  Stream<DynamicTest> namesItselfWrongly() {
    return Stream.of("", "LRU", "s3_fifo", "-lru", "lru-", "a--b", "lru 2")
        .map(name ->
            new Mistake(
                    "is named '%s'".formatted(name),
                    Rule.NAME,
                    "has a valid name",
                    BlockPolicyProvider.of(name, context -> new Fifo()))
                .isCaught());
  }

  @TestFactory
  Stream<DynamicTest> createsWrongly() {
    return Stream.of(
            new Mistake("changes its name", Rule.NAME, "has a valid name", new ChangesName()),
            new Mistake(
                "cannot be small",
                Rule.CREATION,
                "is created at any capacity",
                BlockPolicyProvider.of("broken", BrokenProviderTest::atLeastTwo)))
        .map(Mistake::isCaught);
  }

  @TestFactory
  DynamicTest createsOnlyOnce() {
    BlockPolicy<?> only = new Fifo();
    return new Mistake(
            "makes one instance for all",
            Rule.CREATION,
            "is created at any capacity",
            BlockPolicyProvider.of("broken", context -> only))
        .isCaughtAmongOthers();
  }

  @TestFactory
  Stream<DynamicTest> readsSettingsWrongly() {
    Mistake unread =
        new Mistake(
            "leaves a setting unread",
            Rule.SETTINGS,
            "reads its settings",
            BlockPolicyProvider.of("broken", context -> new Fifo()));
    return Stream.of(
        unread.isCaught(Mistake.SETTINGS.with("window", "7")),
        new Mistake(
                "reads a setting late",
                Rule.SETTINGS,
                "survives any request",
                BlockPolicyProvider.of("broken", ReadsLate::new))
            .isCaught(),
        new Mistake(
                "has a default out of range",
                Rule.SETTINGS,
                "is created at any capacity",
                BlockPolicyProvider.of("broken", BrokenProviderTest::wrongDefault))
            .isCaught());
  }

  private static BlockPolicy<?> atLeastTwo(PolicyContext context) {
    if (context.capacityBlocks() < 2) {
      throw new IllegalArgumentException("capacity");
    }
    return new Fifo();
  }

  private static BlockPolicy<?> wrongDefault(PolicyContext context) {
    context.settings().integer("window", 0, 1, 10);
    return new Fifo();
  }

  private static final class ReadsLate extends Fifo {
    private final PolicyContext context;

    ReadsLate(PolicyContext context) {
      this.context = context;
    }

    @Override
    public void began(Request request) {
      context.settings().flag("eager", true);
    }
  }

  private static final class ChangesName implements BlockPolicyProvider {
    private int asked;

    @Override
    public String name() {
      return "name-" + asked++;
    }

    @Override
    public BlockPolicy<?> create(PolicyContext context) {
      return new Fifo();
    }
  }
}
