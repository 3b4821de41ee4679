package dev.ebb.host.cuda;

import dev.ebb.host.engine.sequence.PrunedAttention;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicy.Trigger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attention and signals after pruning on a card are those of plain arrays. */
class CudaPrunedAttentionTest {

  @ParameterizedTest(name = "{0} {1} {2}, {3} lane groups, attention {4}, window {5}")
  @CsvSource({
    "SEQUENCE,UNDER_PRESSURE,uniform,1,false,3",
    "KV_HEAD,UNDER_PRESSURE,uniform,1,false,4",
    "LAYER,EVERY_STEP,uniform,2,true,3",
    "KV_HEAD,EVERY_STEP,ada,4,true,2"
  })
  void equalsAttentionWithTheDroppedTokensLeftOut(
      Granularity granularity,
      Trigger trigger,
      String budget,
      int groups,
      boolean attention,
      int window) {
    TestDriver.reset(1, 64 << 20);
    try (CudaDevice device = CudaDevice.open(0)) {
      PrunedAttention.compare(device, granularity, trigger, budget, groups, attention, window);
    }
  }
}
