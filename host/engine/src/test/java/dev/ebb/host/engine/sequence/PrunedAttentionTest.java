package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.HostDevice;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attention and signals after pruning are those of plain arrays without the dropped tokens. */
class PrunedAttentionTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SEQUENCE,UNDER_PRESSURE,uniform,1,false,3",
        "LAYER,UNDER_PRESSURE,uniform,1,false,1",
        "KV_HEAD,UNDER_PRESSURE,uniform,1,false,4",
        "SEQUENCE,EVERY_STEP,uniform,1,true,1",
        "LAYER,EVERY_STEP,uniform,2,true,3",
        "KV_HEAD,EVERY_STEP,uniform,4,true,2",
        "LAYER,UNDER_PRESSURE,pyramid,2,true,2",
        "KV_HEAD,UNDER_PRESSURE,ada,4,true,2",
        "KV_HEAD,EVERY_STEP,ada,4,true,3",
        "KV_HEAD,AFTER_PREFILL,uniform,1,false,1"
      })
  void equalsAttentionWithTheDroppedTokensLeftOut(PrunedAttention loop) {
    try (HostDevice device = new HostDevice()) {
      loop.compare(device);
    }
  }
}
