package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.engine.EnginePoliciesTest;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;

/** An embedded engine whose sequences lie on the test driver. Skipped without a C compiler. */
class CudaPoliciesTest extends EnginePoliciesTest {

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(1, 64 << 20);
  }

  @Override
  protected String device() {
    return "cuda:0";
  }

  @Override
  protected TestSite start(Path folder, String settings) {
    TestSite site = super.start(folder, settings);
    assertThat(TestDriver.liveBytes(0)).as("the pool is on the card").isPositive();
    return site;
  }
}
