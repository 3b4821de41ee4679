package dev.ebb.testkit;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Policies that keep a right order, but break other rules of living together with a host. */
class BadMannersTest {

  @TestFactory
  Stream<DynamicTest> throwsOrHangs() {
    Mistake hangs =
        Mistake.of("never returns", Rule.RETURNS, "comes to an end", HangsWhenEmpty::new);
    return Stream.concat(
        Stream.of(hangs.isCaught(Mistake.SETTINGS.withLimit(Duration.ofMillis(200)))),
        Stream.of(
                Mistake.of(
                    "throws in score()", Rule.NO_EXCEPTION, "explains entries", ThrowsInScore::new),
                Mistake.of(
                    "throws when what is set aside is removed",
                    Rule.NO_EXCEPTION,
                    "keeps what is set aside",
                    ThrowsOnRemoval::new),
                Mistake.of(
                    "throws at a capacity of 1",
                    Rule.NO_EXCEPTION,
                    "survives any capacity",
                    ThrowsWhenSmall::new),
                Mistake.of(
                    "expects a miss in every request",
                    Rule.NO_EXCEPTION,
                    "survives any request",
                    ExpectsMiss::new),
                Mistake.of(
                    "keeps the request",
                    Rule.NO_EXCEPTION,
                    "survives any request",
                    KeepsRequest::new),
                Mistake.of(
                    "keeps a waiting request",
                    Rule.NO_EXCEPTION,
                    "copes with waiting requests",
                    KeepsWaiting::new),
                Mistake.of(
                    "is closed only once", Rule.CLOSE, "may be closed twice", ClosesOnce::new),
                Mistake.of("returns no node", Rule.NODE, "offers every resident", NoNode::new))
            .map(Mistake::isCaught));
  }

  @TestFactory
  Stream<DynamicTest> keepsWhatIsNotItsOwn() {
    return Stream.of(
            Mistake.of(
                "keeps removed entries as ghosts", Rule.GONE, "keeps no removed", KeepsGhosts::new),
            Mistake.of(
                "keeps ghosts of deleted entries",
                Rule.GHOSTS,
                "keeps ghosts of evicted",
                KeepsGhostsOfAll::new),
            Mistake.of(
                "keeps fingerprints of expired entries in a map",
                Rule.GHOSTS,
                "keeps ghosts of evicted",
                MapsExpired::new),
            Mistake.of(
                "reads the machine's clock",
                Rule.CLOCK,
                "reads no clock but",
                ReadsMachineClock::new),
            Mistake.of(
                "reads the machine's clock in a helper",
                Rule.CLOCK,
                "reads no clock but",
                UsesStopwatch::new),
            Mistake.of(
                "reads an entry after its removal",
                Rule.GONE,
                "offers every resident",
                ReadsRemoved::new),
            Mistake.of(
                "draws from a generator of its own",
                Rule.DETERMINISTIC,
                "gives the same answers",
                Unseeded::new))
        .map(Mistake::isCaught);
  }

  @TestFactory
  DynamicTest sharesItsOrder() {
    return Mistake.of(
            "keeps its order in a static", Rule.INDEPENDENT, "shares nothing", StaticOrder::new)
        .isCaughtAmongOthers();
  }

  @TestFactory
  Stream<DynamicTest> speaksUnclearly() {
    return Stream.of(
            Mistake.of(
                "has an infinite gauge",
                Rule.GAUGES,
                "copes with being empty",
                () -> new Gauge("hit-ratio", 1 / 0.0)),
            Mistake.of(
                "has an ill-named gauge",
                Rule.GAUGES,
                "explains entries",
                () -> new Gauge("hitRatio", 0)),
            Mistake.of("explains at length", Rule.EXPLANATION, "explains entries", Verbose::new))
        .map(Mistake::isCaught);
  }

  private static final class HangsWhenEmpty extends Fifo {
    @Override
    public @Nullable Entry victim(Demand demand) {
      while (queue.isEmpty() && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(1_000_000);
      }
      return super.victim(demand);
    }
  }

  private static final class ThrowsInScore extends Fifo {
    @Override
    public double score(Node node) {
      NodeList<Node> list = node.list();
      if (list == null) {
        throw new IllegalStateException("set aside");
      }
      return list.size();
    }
  }

  private static final class ThrowsOnRemoval extends Fifo {
    @Override
    public void removed(Node node, RemovalCause cause) {
      queue.remove(node);
      size--;
    }
  }

  private static final class ThrowsWhenSmall extends Fifo {
    @Override
    public void resized(long capacityBlocks) {
      if (capacityBlocks < 2) {
        throw new IllegalArgumentException("too small");
      }
    }
  }

  private static final class ExpectsMiss extends Fifo {
    @Override
    public void began(Request request) {
      long _ = request.fingerprint(request.matched());
    }
  }

  private static final class KeepsWaiting extends Fifo {
    private @Nullable Request kept;

    @Override
    public void began(Request request) {
      kept = request.waiting() > 0 ? request.waiting(0) : null;
    }

    @Override
    public @Nullable Entry victim(Demand demand) {
      if (kept != null) {
        kept.fingerprint(0);
      }
      return super.victim(demand);
    }
  }

  private static final class KeepsRequest extends Fifo {
    private @Nullable Request kept;

    @Override
    public void began(Request request) {
      kept = request;
    }

    @Override
    public @Nullable Entry victim(Demand demand) {
      long _ = kept == null ? 0 : kept.fingerprint(0);
      return super.victim(demand);
    }
  }

  private static final class ClosesOnce extends Fifo {
    private final OnlyOnce once = new OnlyOnce();

    @Override
    public void close() {
      once.close();
    }
  }

  private static final class NoNode extends Fifo {
    @Override
    @SuppressWarnings("NullAway")
    public Node inserted(Entry entry) {
      size++;
      return null;
    }
  }

  private static final class KeepsGhosts extends Fifo {
    private final ArrayDeque<Node> ghosts = new ArrayDeque<>();

    @Override
    public void removed(Node node, RemovalCause cause) {
      super.removed(node, cause);
      ghosts.add(node);
      if (ghosts.size() > 100) {
        ghosts.remove();
      }
    }
  }

  private static final class KeepsGhostsOfAll extends Fifo {
    private final GhostList ghosts = new GhostList(1_000);

    @Override
    public void removed(Node node, RemovalCause cause) {
      super.removed(node, cause);
      ghosts.add(node.entry.fingerprint());
    }
  }

  private static final class MapsExpired extends Fifo {
    private final Map<Long, Integer> expired = new HashMap<>();

    @Override
    public void removed(Node node, RemovalCause cause) {
      super.removed(node, cause);
      if (cause == RemovalCause.EXPIRED) {
        expired.merge(node.entry.fingerprint(), 1, Integer::sum);
      }
    }
  }

  private static final class ReadsMachineClock extends Fifo {
    private long last;

    @Override
    public void accessed(Node node) {
      last = System.nanoTime();
    }

    @Override
    public double score(Node node) {
      return last;
    }
  }

  private static final class UsesStopwatch extends Fifo {
    private final Stopwatch watch = new Stopwatch();

    @Override
    public double score(Node node) {
      return watch.read();
    }
  }

  private static final class Stopwatch {
    private final LongSupplier time = System::currentTimeMillis;

    long read() {
      return time.getAsLong();
    }
  }

  private static final class ReadsRemoved extends Fifo {
    private @Nullable Entry last;

    @Override
    public void removed(Node node, RemovalCause cause) {
      super.removed(node, cause);
      last = node.entry;
    }

    @Override
    public @Nullable Entry victim(Demand demand) {
      long _ = last == null ? 0 : last.fingerprint();
      return super.victim(demand);
    }
  }

  /** Counts for itself, but queues for all. */
  private static final class StaticOrder extends Fifo {
    private static final NodeList<Node> ALL = new NodeList<>();

    StaticOrder() {
      super(ALL);
    }
  }

  private static final class Unseeded extends Fifo {
    @Override
    public Node inserted(Entry entry) {
      Node node = super.inserted(entry);
      if (Math.random() < 0.5) {
        queue.remove(node);
        queue.addCold(node);
      }
      return node;
    }
  }

  private static final class Gauge extends Fifo {
    private final String name;
    private final double value;

    Gauge(String name, double value) {
      this.name = name;
      this.value = value;
    }

    @Override
    public Map<String, Double> gauges() {
      return Map.of(name, value);
    }
  }

  private static final class Verbose extends Fifo {
    @Override
    public String explain(Node node) {
      return "cold\nvery cold";
    }
  }
}
