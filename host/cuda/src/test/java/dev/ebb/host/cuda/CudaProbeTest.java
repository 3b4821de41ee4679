package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CudaProbeTest {

  @Test
  void aMachineWithoutADriverReportsWhatIsMissing() {
    CudaProbe probe = DriverProbe.run("libcuda-of-nobody.so.1");
    assertThat(probe.found()).isFalse();
    assertThat(probe.reason())
        .contains("'libcuda-of-nobody.so.1' was not found")
        .contains("pool.device = host");
  }

  @Test
  void cardsAreNamed() {
    TestDriver.reset(2, 1 << 30);
    CudaProbe probe = CudaProbe.run();
    assertThat(probe.found()).isTrue();
    assertThat(probe.deviceNames())
        .containsExactly("Test driver over host memory 0", "Test driver over host memory 1");
    assertThat(probe.driverVersion()).isEqualTo(12_060);
  }

  @Test
  void aDriverWithoutCardsIsDistinguishedFromNoDriver() {
    TestDriver.reset(0, 0);
    assertThat(CudaProbe.run().reason()).contains("finds no GPU");
  }

  @Test
  void aDriverThatIsTooOldIsNamedWithWhatIsNeeded() {
    TestDriver.reset(1, 1 << 30);
    TestDriver.setVersion(11_080);
    assertThat(CudaProbe.run().reason()).contains("'11.8'").contains("12.0").contains("525");
  }

  @Test
  void aGpuWithoutTheSecondDownloadIsNotUsed() {
    TestDriver.reset(1, 1 << 30);
    assertThat(JcudaNatives.exist(CudaProbeTest.class.getClassLoader())).isTrue();
    boolean none = JcudaNatives.exist(ClassLoader.getPlatformClassLoader());
    CudaProbe probe = CudaProbe.run().with(none);
    assertThat(probe.found()).isFalse();
    assertThat(probe.reason()).contains("-gpu.tar.gz", "pool.device = host");
  }

  @Test
  void aDriverThatDoesNotStartIsReportedWithItsError() {
    TestDriver.reset(1, 1 << 30);
    TestDriver.fail("cuInit", 1, 803);
    assertThat(CudaProbe.run().reason()).contains("'803'").contains("nvidia-smi");
  }
}
