package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceProvider;
import dev.ebb.host.errors.UserError;
import java.util.List;
import org.junit.jupiter.api.Test;

class CudaDeviceProviderTest {

  private final DeviceProvider provider = new CudaDeviceProvider();

  @Test
  void allCardsAreOpened() {
    TestDriver.reset(3, 64 << 20);
    for (List<Device> devices : List.of(provider.require(), provider.openIfUsable())) {
      assertThat(devices).extracting(Device::name).containsExactly("cuda:0", "cuda:1", "cuda:2");
      devices.forEach(Device::close);
    }
  }

  @Test
  void withoutACardTheHostIsUsedUnlessCudaWasAskedFor() {
    TestDriver.reset(0, 0);
    assertThat(provider.openIfUsable()).isEmpty();
    assertThatThrownBy(provider::require)
        .isInstanceOf(UserError.class)
        .hasMessageContaining("pool.device 'cuda' cannot be used")
        .hasMessageContaining("finds no GPU");
  }

  @Test
  void aCardThatDoesNotOpenLeavesTheOthersClosed() {
    TestDriver.reset(2, 64 << 20);
    TestDriver.loseDevice(1, 46);
    assertThat(provider.openIfUsable()).isEmpty();
    assertThatThrownBy(provider::require)
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'cuda:1'");
    assertThat(TestDriver.livePinned()).isZero();
  }
}
