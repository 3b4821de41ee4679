package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The other tests prove something only if the driver keeps to these manners. */
class TestDriverTest {

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(1, 64 << 20);
    JcudaNatives.load();
  }

  @Test
  void aThreadWithoutAContextGetsNothing() {
    JCudaDriver.cuInit(0);
    JCudaDriver.cuCtxSetCurrent(new CUcontext());
    assertThat(JCudaDriver.cuMemAlloc(new CUdeviceptr(), 1))
        .isEqualTo(CUresult.CUDA_ERROR_INVALID_CONTEXT);
  }

  @Test
  void whatIsQueuedHappensAtTheSynchronisationAndNotBefore() {
    CUdevice device = context();
    CUdeviceptr memory = new CUdeviceptr();
    CUstream stream = new CUstream();
    byte[] host = {1, 2, 3};
    Pointer pinned = new Pointer();
    assertThat(JCudaDriver.cuMemAlloc(memory, 3)).isZero();
    assertThat(JCudaDriver.cuStreamCreate(stream, 1)).isZero();
    assertThat(JCudaDriver.cuMemHostAlloc(pinned, 3, 0)).isZero();
    pinned.getByteBuffer(0, 3).put(host);
    JCudaDriver.cuMemcpyHtoDAsync(memory, pinned, 3, stream);
    JCudaDriver.cuStreamSynchronize(stream);
    pinned.getByteBuffer(0, 3).put(new byte[3]);

    JCudaDriver.cuMemcpyDtoHAsync(pinned, memory, 3, stream);
    assertThat(pinned.getByteBuffer(0, 3).get(1)).isZero();
    JCudaDriver.cuStreamSynchronize(stream);
    assertThat(pinned.getByteBuffer(0, 3).get(1)).isEqualTo((byte) 2);
    JCudaDriver.cuDevicePrimaryCtxRelease(device);
  }

  @Test
  void touchingWhatWasNotAllocatedEndsTheContext() {
    CUdevice device = context();
    CUdeviceptr memory = new CUdeviceptr();
    JCudaDriver.cuMemAlloc(memory, 100);
    CUstream stream = new CUstream();
    JCudaDriver.cuStreamCreate(stream, 1);
    assertThat(JCudaDriver.cuMemsetD8Async(memory, (byte) 0, 101, stream)).isZero();
    assertThat(JCudaDriver.cuStreamSynchronize(stream))
        .isEqualTo(CUresult.CUDA_ERROR_ILLEGAL_ADDRESS);
    assertThat(JCudaDriver.cuMemFree(memory)).isEqualTo(CUresult.CUDA_ERROR_ILLEGAL_ADDRESS);
    JCudaDriver.cuDevicePrimaryCtxRelease(device);
  }

  @Test
  void whatItDoesNotImplementItSays() {
    assertThat(JCudaDriver.cuProfilerStart()).isEqualTo(CUresult.CUDA_ERROR_NOT_SUPPORTED);
  }

  @Test
  void everySymbolThatJcudaNeedsIsThere() throws Exception {
    Path library = Files.createTempFile("jcuda", ".so");
    try (var packed =
        JCudaDriver.class.getResourceAsStream("/lib/libJCudaDriver-12.6.0-linux-x86_64.so")) {
      assertThat(packed).isNotNull();
      Files.write(library, packed.readAllBytes());
    }
    List<String> needed;
    try {
      Process nm = new ProcessBuilder("nm", "-D", "--undefined-only", library.toString()).start();
      needed =
          nm.inputReader(StandardCharsets.UTF_8)
              .lines()
              .map(line -> line.replaceFirst(".* ", ""))
              .filter(symbol -> symbol.startsWith("cu"))
              .toList();
    } catch (IOException noBinutils) {
      assumeTrue(false, "no nm to list JCuda's symbols with");
      return;
    } finally {
      Files.delete(library);
    }
    String stubs = Files.readString(TestDriver.SOURCES.resolve("stubs.c"));
    assertThat(needed)
        .hasSizeGreaterThan(300)
        .allMatch(symbol -> stubs.contains("STUB(" + symbol + ")"));
  }

  private static CUdevice context() {
    CUdevice device = new CUdevice();
    CUcontext context = new CUcontext();
    JCudaDriver.cuInit(0);
    JCudaDriver.cuDeviceGet(device, 0);
    JCudaDriver.cuDevicePrimaryCtxRetain(context, device);
    JCudaDriver.cuCtxSetCurrent(context);
    return device;
  }
}
