package dev.ebb.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Random requests: sequences that grow turn by turn and branch off one another, or single objects
 * with skewed popularity.
 */
final class Traffic {

  private static final int SEQUENCES = 40;
  private static final int LONGEST = 24;
  private static final String[] TENANTS = {"acme", "globex", "initech"};

  private final SplittableRandom random;
  private final List<Sequence> sequences = new ArrayList<>();

  Traffic(SplittableRandom random) {
    this.random = random;
  }

  private static final class Sequence {
    final long id;
    final long[] chain;
    final @Nullable String tenant;
    int length;
    int turn;

    Sequence(long id, long[] chain, @Nullable String tenant) {
      this.id = id;
      this.chain = chain;
      this.tenant = tenant;
    }
  }

  TestRequest prompt() {
    Sequence sequence = popular(SEQUENCES);
    if (sequence.length < LONGEST) {
      sequence.length = Math.min(LONGEST, sequence.length + 1 + random.nextInt(4));
    }
    sequence.turn++;
    long[] chain = Arrays.copyOf(sequence.chain, sequence.length);
    return describe(TestRequest.of(chain), sequence).inputTokens(16L * chain.length);
  }

  TestRequest object(int objects) {
    Sequence sequence = popular(objects);
    sequence.turn++;
    return describe(TestRequest.of(sequence.chain[0]), sequence);
  }

  private TestRequest describe(TestRequest request, Sequence sequence) {
    boolean known = random.nextInt(10) > 0;
    return request
        .sequenceId(known ? sequence.id : -1)
        .turn(known ? sequence.turn : -1)
        .tenant(sequence.tenant)
        .workload(random.nextBoolean() ? "chat" : null)
        .priority(random.nextInt(3))
        .hint(random.nextInt(4));
  }

  private Sequence popular(int count) {
    int pick = (int) (count * Math.pow(random.nextDouble(), 3));
    while (sequences.size() <= pick) {
      sequences.add(start());
    }
    if (random.nextInt(20) == 0) {
      sequences.set(pick, start());
    }
    return sequences.get(pick);
  }

  private Sequence start() {
    long[] chain = random.longs(LONGEST).toArray();
    int shared = 0;
    if (!sequences.isEmpty() && random.nextInt(4) > 0) {
      Sequence other = sequences.get(random.nextInt(sequences.size()));
      shared = random.nextInt(other.length + 1);
      System.arraycopy(other.chain, 0, chain, 0, shared);
    }
    String tenant = random.nextBoolean() ? TENANTS[random.nextInt(TENANTS.length)] : null;
    Sequence sequence = new Sequence(random.nextLong() >>> 1, chain, tenant);
    sequence.length = shared;
    return sequence;
  }
}
