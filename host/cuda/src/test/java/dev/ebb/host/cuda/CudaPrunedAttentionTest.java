package dev.ebb.host.cuda;

import dev.ebb.host.engine.sequence.PrunedAttention;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attention and signals after pruning on a card are those of plain arrays. */
class CudaPrunedAttentionTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SEQUENCE,UNDER_PRESSURE,uniform,1,false,3",
        "KV_HEAD,UNDER_PRESSURE,uniform,1,false,4",
        "LAYER,EVERY_STEP,uniform,2,true,3",
        "KV_HEAD,EVERY_STEP,ada,4,true,2"
      })
  void equalsAttentionWithTheDroppedTokensLeftOut(PrunedAttention loop) {
    TestDriver.reset(1, 64 << 20);
    try (CudaDevice device = CudaDevice.open(0)) {
      loop.compare(device);
    }
  }
}
