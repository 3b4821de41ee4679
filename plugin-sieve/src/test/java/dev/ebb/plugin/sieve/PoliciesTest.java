package dev.ebb.plugin.sieve;

import dev.ebb.spi.sim.Lockstep;
import dev.ebb.spi.sim.PrefixModel;
import dev.ebb.spi.sim.SimContext;
import java.util.List;
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
    PrefixModel.assertFindLeaves(List.of(SievePolicies.SIEVE, SievePolicies.S3FIFO), seed);
  }
}
