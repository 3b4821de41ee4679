package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.util.List;
import org.junit.jupiter.api.Test;

class CudaDevicesTest {

  @Test
  void allCardsAreOpened() {
    TestDriver.reset(3, 64 << 20);
    for (List<CudaDevice> devices : List.of(CudaDevices.require(), CudaDevices.openIfUsable())) {
      assertThat(devices)
          .extracting(CudaDevice::name)
          .containsExactly("cuda:0", "cuda:1", "cuda:2");
      devices.forEach(CudaDevice::close);
    }
  }

  @Test
  void withoutACardTheHostIsUsedUnlessCudaWasAskedFor() {
    TestDriver.reset(0, 0);
    assertThat(CudaDevices.openIfUsable()).isEmpty();
    assertThatThrownBy(CudaDevices::require)
        .isInstanceOf(UserError.class)
        .hasMessageContaining("pool.device 'cuda' cannot be used")
        .hasMessageContaining("finds no GPU");
  }

  @Test
  void aCardThatDoesNotOpenLeavesTheOthersClosed() {
    TestDriver.reset(2, 64 << 20);
    TestDriver.loseDevice(1, 46);
    assertThat(CudaDevices.openIfUsable()).isEmpty();
    assertThatThrownBy(CudaDevices::require)
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'cuda:1'");
    assertThat(TestDriver.livePinned()).isZero();
  }
}
