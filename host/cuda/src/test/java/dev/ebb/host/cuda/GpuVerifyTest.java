package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.gpuverify.GpuVerify;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GpuVerifyTest {

  private static final int SKIPPED = -1;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(1, 64 << 20);
  }

  @Test
  void aRightCardIsCheckedAndMeasured() {
    TestDriver.reset(2, 64 << 20);
    assertThat(run("--quick")).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("| card | Test driver over host memory 0, one of 2 |")
        .contains("| window attention, fp16, head dimension 128 | right |")
        .contains("| GPU to GPU | right |")
        .contains("| host to GPU, pinned |")
        .contains("| gather kept tokens |")
        .contains("| compact 1,000 blocks |")
        .contains("All 26 checks passed")
        .doesNotContain("WRONG");
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.livePinned()).isZero();
  }

  @Test
  void kernelsThatDoNotDoTheirWorkAreFoundOut() {
    Map<String, String> checks =
        Map.of(
            "ebb_copy_blocks", "copy blocks of 65536 bytes",
            "ebb_gather_tokens", "gather tokens of 256 bytes",
            "ebb_window_attention", "window attention, fp32, head dimension 128",
            "ebb_key_norms", "key norms, fp32, head dimension 128",
            "ebb_key_mean", "running key mean, fp32, head dimension 128");
    checks.keySet().forEach(kernel -> TestDriver.fail(kernel, 1, SKIPPED));
    assertThat(run("--quick")).isEqualTo(1);
    for (String check : checks.values()) {
      assertThat(out.toString()).contains("| " + check + " | WRONG |");
    }
    assertThat(out.toString()).contains("5 of 25 checks FAILED");
  }

  @Test
  void aCardThatFailsIsReportedWithItsError() {
    TestDriver.fail("ebb_gather_tokens", 1, 719);
    assertThat(run("--quick")).isEqualTo(1);
    assertThat(err.toString()).contains("CUDA_ERROR_LAUNCH_FAILED").doesNotContain("\tat ");
  }

  @Test
  void aMachineWithoutACardIsReported() {
    TestDriver.reset(0, 0);
    assertThat(run()).isEqualTo(3);
    assertThat(err.toString()).contains("finds no GPU");
  }

  @Test
  void helpIsForEveryMachine() {
    TestDriver.reset(0, 0);
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).startsWith("Usage: verify").contains("Exit codes");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void wrongUsageIsReported() {
    assertThat(run("--fast")).isEqualTo(2);
    assertThat(err.toString()).contains("'--fast'").contains("--quick");
    assertThat(run("--device", "7")).isEqualTo(2);
    assertThat(err.toString()).contains("'7' must be from 0 to 0");
  }

  private int run(String... arguments) {
    return GpuVerify.run(new PrintWriter(out), new PrintWriter(err), arguments);
  }
}
