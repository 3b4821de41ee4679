package dev.ebb.host.devkit;

import dev.ebb.host.plugin.Strategy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/** Checks what a block policy allocates and keeps on the heap, in bytes, never in time. */
final class HeapChecks {

  private static final String ALLOCATION = "allocates nothing for an access";
  private static final String GROWTH = "keeps nothing of removed entries";

  private static final int ACCESSES_EACH = 10;
  private static final int BATCH = 200;

  /** Full ghost lists and tables do not grow any more. */
  private static final int TURNOVERS_TO_FILL = 5;

  private static final int TURNOVERS = 10;

  /** The growth of a table, spread over the accesses that fill it. */
  private static final double BYTES_PER_ACCESS = 16;

  private static final double BYTES_PER_ENTRY_GONE = 16;

  /** For replacing the entries; a check that takes longer is abandoned. */
  private final Duration limit;

  private final int residents;

  HeapChecks(Verification.Limits limits) {
    limit = limits.check();
    residents = limits.residents();
  }

  List<VerifyFinding> run(Strategy<BlockPolicyProvider> policy, IntFunction<TestContext> context) {
    return List.of(
        check(ALLOCATION, policy, context.apply(residents), this::allocation),
        check(GROWTH, policy, context.apply(residents), this::growth));
  }

  private VerifyFinding check(
      String check,
      Strategy<BlockPolicyProvider> policy,
      TestContext context,
      BiFunction<String, DrivenPolicy<?>, VerifyFinding> body) {
    String label = policy.kind().noun() + " " + policy.name();
    try {
      return DrivenPolicy.use(
          policy,
          context,
          residents,
          driven -> {
            driven.fill();
            return body.apply(label, driven);
          });
    } catch (RuntimeException failed) {
      return new VerifyFinding(label, check, false, String.valueOf(failed.getMessage()));
    }
  }

  private VerifyFinding allocation(String strategy, DrivenPolicy<?> policy) {
    long deadline = System.nanoTime() + limit.toNanos();
    access(policy, deadline);
    long before = Heap.allocatedHere();
    if (before < 0) {
      return VerifyFinding.notRun(
          strategy, ALLOCATION, "this JVM does not count what a thread allocates");
    }
    int done = access(policy, deadline);
    double each = (double) (Heap.allocatedHere() - before) / done;
    boolean passed = each <= BYTES_PER_ACCESS;
    return new VerifyFinding(
        strategy,
        ALLOCATION,
        passed,
        passed
            ? ""
            : String.format(
                Locale.ROOT,
                "%,.0f bytes on average, over %,d accesses of %,d residents, once warm; at most"
                    + " %.0f are allowed, which leaves room for a table that grows now and then;"
                    + " keep what an access needs in the entry's node: no new, no boxed Long, no"
                    + " lambda that captures",
                each,
                done,
                residents,
                BYTES_PER_ACCESS));
  }

  private int access(DrivenPolicy<?> policy, long deadline) {
    int done = 0;
    do {
      policy.access(BATCH);
      done += BATCH;
    } while (done < ACCESSES_EACH * residents && System.nanoTime() < deadline);
    return done;
  }

  private VerifyFinding growth(String strategy, DrivenPolicy<?> policy) {
    long deadline = System.nanoTime() + limit.toNanos();
    if (!turnOver(policy, TURNOVERS_TO_FILL, deadline)) {
      return tooSlow(strategy);
    }
    long before = Heap.used();
    if (!turnOver(policy, TURNOVERS, deadline)) {
      return tooSlow(strategy);
    }
    double each = (double) (Heap.used() - before) / (TURNOVERS * residents);
    boolean passed = each <= BYTES_PER_ENTRY_GONE;
    return new VerifyFinding(
        strategy,
        GROWTH,
        passed,
        passed
            ? ""
            : String.format(
                Locale.ROOT,
                "its memory grows by %,.0f bytes for each removed entry: measured while %,d"
                    + " residents were replaced %d times, after %d times to fill ghosts; remove in"
                    + " removed() what was added in inserted() or accessed(), and bound ghosts by"
                    + " the capacity (GhostList does)",
                each,
                residents,
                TURNOVERS,
                TURNOVERS_TO_FILL));
  }

  private static VerifyFinding tooSlow(String strategy) {
    return VerifyFinding.notRun(strategy, GROWTH, "it takes too long");
  }

  private boolean turnOver(DrivenPolicy<?> policy, int times, long deadline) {
    for (int done = 0; done < times * residents; done += BATCH) {
      policy.request(BATCH);
      policy.runBackground();
      if (System.nanoTime() > deadline) {
        return false;
      }
    }
    return true;
  }
}
