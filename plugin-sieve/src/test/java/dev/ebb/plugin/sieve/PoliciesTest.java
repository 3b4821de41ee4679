package dev.ebb.plugin.sieve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.sim.Lockstep;
import dev.ebb.spi.sim.PrefixModel;
import dev.ebb.spi.sim.SimContext;
import dev.ebb.spi.sim.Trace;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void sieveAgreesWithANaiveOneInEveryStep(long seed) {
    long capacity = 8 + seed * 4;
    Lockstep.run(
        SievePolicies.SIEVE.create(new SimContext(capacity)), new NaiveSieve(), seed, capacity, 1);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void s3FifoAgreesWithANaiveOneInEveryStep(long seed) {
    int blocksEach = 1 + (int) seed % 3;
    long capacity = (8 + seed * 4) * blocksEach;
    Lockstep.run(
        SievePolicies.S3FIFO.create(new SimContext(capacity)),
        new NaiveS3Fifo(capacity, blocksEach),
        seed,
        capacity,
        blocksEach);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void alwaysFindALeafWhereOnlyLeavesMayLeave(long seed) {
    Trace trace = Trace.random(new Random(seed), 5_000, 300);
    for (BlockPolicyProvider provider : List.of(SievePolicies.SIEVE, SievePolicies.S3FIFO)) {
      AtomicInteger evictions = new AtomicInteger();
      BlockPolicy<?> policy = provider.create(new SimContext(60));
      PrefixModel.hits(policy, trace, 60, id -> evictions.incrementAndGet());
      assertThat(evictions).as("seed %d", seed).hasPositiveValue();
      assertThat(policy.size()).isBetween(1L, 60L);
    }
  }
}
