package dev.ebb.host.cache;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.testing.DelegatingPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Correct until a test switches one fault on. */
final class BadPolicy extends DelegatingPolicy<BuiltInLru.Node> {

  /** Ways to break the contract. */
  enum Defect {
    NONE,
    THROWS_AS_VICTIM_IS_ASKED,
    THROWS_NOW_AND_THEN,
    THROWS_AN_ERROR,
    THROWS_WHAT_CANNOT_BE_PRINTED,
    LOOPS_AS_VICTIM_IS_ASKED,
    LOOPS_ON_AN_EVENT,
    SLEEPS,
    OFFERS_FOREIGN,
    OFFERS_REMOVED,
    OFFERS_ASIDE,
    OFFERS_NOTHING,
    LOOPS_IN_SCORE,
    LOSES_COUNT,
    THROWS_ON_INSERTION,
    LOOPS_ON_INSERTION
  }

  private final Entry foreign = new CacheEntry();
  private final CountDownLatch never = new CountDownLatch(1);
  private final AtomicReference<@Nullable Entry> gone = new AtomicReference<>();
  private int calls;
  private @Nullable Entry first;
  volatile Defect defect = Defect.NONE;
  volatile boolean let;

  BadPolicy() {
    super(new BuiltInLru());
  }

  @Override
  public BuiltInLru.Node inserted(Entry entry) {
    if (defect == Defect.THROWS_ON_INSERTION) {
      throw new IllegalStateException("broken");
    }
    if (defect == Defect.LOOPS_ON_INSERTION) {
      loop();
    }
    return super.inserted(entry);
  }

  @Override
  public void accessed(BuiltInLru.Node node) {
    if (defect == Defect.LOOPS_ON_AN_EVENT) {
      loop();
    }
    super.accessed(node);
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Entry honest = super.victim(demand);
    if (first == null) {
      first = honest;
    }
    return switch (defect) {
      case THROWS_AS_VICTIM_IS_ASKED -> throw new IllegalStateException("broken");
      case THROWS_NOW_AND_THEN -> {
        if (++calls % 5 == 0) {
          throw new IllegalStateException("broken");
        }
        yield honest;
      }
      case THROWS_AN_ERROR -> throw new StackOverflowError();
      case THROWS_WHAT_CANNOT_BE_PRINTED -> throw new Unprintable();
      case LOOPS_AS_VICTIM_IS_ASKED -> {
        loop();
        yield honest;
      }
      case SLEEPS -> {
        sleep();
        yield honest;
      }
      case OFFERS_FOREIGN -> foreign;
      case OFFERS_REMOVED -> gone.get() == null ? honest : gone.get();
      case OFFERS_ASIDE -> first;
      case OFFERS_NOTHING -> null;
      default -> honest;
    };
  }

  /**
   * Deaf to interrupts, but without a load on the machine. Ends after two minutes even if the test
   * fails before it lets go.
   */
  private void loop() {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!let && System.nanoTime() < end) {
      Thread.interrupted();
      LockSupport.parkNanos(1_000_000);
    }
  }

  private void sleep() {
    try {
      never.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @Override
  public void removed(BuiltInLru.Node node, RemovalCause cause) {
    if (cause == RemovalCause.EVICTED) {
      gone.compareAndSet(null, super.victim(DEMAND));
    }
    super.removed(node, cause);
  }

  @Override
  public double score(BuiltInLru.Node node) {
    if (defect == Defect.LOOPS_IN_SCORE) {
      loop();
    }
    return 1;
  }

  @Override
  public long size() {
    return defect == Defect.LOSES_COUNT ? super.size() + 1 : super.size();
  }

  private static final Demand DEMAND =
      new Demand() {
        @Override
        public long blocks() {
          return 1;
        }

        @Override
        public Reason reason() {
          return Reason.MANUAL;
        }

        @Override
        public int priority() {
          return 1;
        }

        @Override
        public @Nullable String tenant() {
          return null;
        }
      };

  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("not even that");
    }
  }
}
