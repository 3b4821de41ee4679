package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KvLayoutTest {

  @Test
  void publishedSizesAreMet() {
    KvLayout llama = KnownModel.named("Llama-3-8B").layout(16, DType.FP16);
    KvLayout wide = new KvLayout(80, 64, 128, 16, DType.FP16);

    assertThat(llama.tokenBytes()).isEqualTo(128 << 10);
    assertThat(llama.blockBytes()).isEqualTo(2 << 20);
    assertThat(wide.tokenBytes()).isEqualTo(2_621_440);
    assertThat(KnownModel.named("Llama-3-8B").layout(16, DType.FP32).tokenBytes())
        .isEqualTo(256 << 10);
  }

  @Test
  void groupsShareTheLanes() {
    KvLayout perLayer = new KvLayout(32, 8, 128, 16, DType.BF16, 32);

    assertThat(perLayer.lanes()).isEqualTo(8);
    assertThat(perLayer.blockBytes()).isEqualTo((2 << 20) / 32);
    assertThat(perLayer.blocksFor(17)).isEqualTo(2 * 32);
    assertThat(perLayer.sequenceBytes(17)).isEqualTo(4 << 20);
    assertThat(perLayer.sequenceBytes(0)).isZero();
  }

  @Test
  void everyRowHasAPlaceOfItsOwnThatFillsTheBlock() {
    KvLayout layout = new KvLayout(3, 2, 5, 4, DType.opaque(3), 2);
    Set<Integer> places = new HashSet<>();
    for (int lane = 0; lane < layout.lanes(); lane++) {
      for (int token = 0; token < layout.blockTokens(); token++) {
        places.add(layout.rowOffset(lane, false, token));
        places.add(layout.rowOffset(lane, true, token));
      }
    }
    assertThat(places).hasSize(layout.blockBytes() / layout.rowBytes());
    assertThat(places).allMatch(place -> place % 15 == 0 && place < layout.blockBytes());
  }

  @Test
  void impossibleShapesAreRefused() {
    assertThatThrownBy(() -> new KvLayout(32, 8, 128, 0, DType.FP16))
        .hasMessage("block tokens '0' must be at least 1");
    assertThatThrownBy(() -> new KvLayout(3, 3, 8, 16, DType.FP16, 2))
        .hasMessageContaining("'9' lanes")
        .hasMessageContaining("'2' lane groups");
    assertThatThrownBy(() -> new KvLayout(1 << 20, 1 << 20, 8, 16, DType.FP16))
        .hasMessageContaining("must be smaller than 2 GiB");
    assertThatThrownBy(() -> new KvLayout(1, 1, 1, 1, DType.FP16).sequenceBytes(Long.MAX_VALUE))
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> new KvLayout(1, 1, 1, 16, DType.FP16).rowOffset(1, false, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void everyKnownModelHasALayout() {
    assertThat(KnownModel.all())
        .allSatisfy(model ->
            assertThat(model.layout(16, DType.BF16).tokenBytes())
                .isEqualTo(4L * model.layers() * model.kvHeads() * model.headDim()));
  }
}
