package dev.ebb.host.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The driver over host memory: built once, loaded into this process, and turned by tests. */
final class TestDriver {

  static final Path SOURCES = Path.of("src/test/c/fakecuda");

  private static final String CUDA = "libcuda.so.1";
  private static final String NVML = "libnvidia-ml.so.1";

  private static @Nullable SymbolLookup library;
  private static String missing = "";

  private TestDriver() {}

  /** A fresh driver; the test is skipped where there is no C compiler to build it. */
  static synchronized void reset(int devices, long deviceBytes) {
    if (library == null && missing.isEmpty()) {
      load();
    }
    assumeTrue(missing.isEmpty(), missing);
    call("fakecuda_reset", devices, deviceBytes);
    call("fakenvml_reset", 0);
  }

  @SuppressWarnings("restricted")
  private static void load() {
    try {
      Path folder = Files.createTempDirectory("ebb-test-driver-");
      Process build =
          new ProcessBuilder("sh", SOURCES.resolve("build.sh").toString(), folder.toString())
              .redirectErrorStream(true)
              .start();
      String output = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (build.waitFor() == 127) {
        missing = "no C compiler to build the test driver with: " + output;
        return;
      }
      if (build.exitValue() != 0) {
        throw new IllegalStateException("the test driver does not build: " + output);
      }
      SymbolLookup nvml = loaded(folder.resolve(NVML));
      library = loaded(folder.resolve(CUDA)).or(nvml);
      Files.delete(folder);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("restricted")
  private static SymbolLookup loaded(Path built) throws IOException {
    System.load(built.toString());
    SymbolLookup functions = SymbolLookup.libraryLookup(built, Arena.global());
    Files.delete(built);
    return functions;
  }

  /** Connects two devices by NVLink until the next reset. */
  static void link(int first, int second) {
    call("fakenvml_link", first, second);
  }

  /** Lets NVML not start. */
  static void failNvml(int error) {
    call("fakenvml_reset", error);
  }

  /** The nth call from now of a function, kernel, {@code copy} or {@code record} fails. */
  static void fail(String function, int nth, int code) {
    call("fakecuda_fail", function, nth, code);
  }

  static void loseDevice(int device, int code) {
    call("fakecuda_lose_device", device, code);
  }

  static void runOnWorker() {
    call("fakecuda_run_on_worker", 1);
  }

  static void forbidPeers() {
    call("fakecuda_allow_peers", 0);
  }

  static void setVersion(int version) {
    call("fakecuda_set_version", version);
  }

  static long calls(String function) {
    return call("fakecuda_calls", function);
  }

  static long pageableCopies() {
    return call("fakecuda_pageable_copies");
  }

  static long liveBytes(int device) {
    return call("fakecuda_live_bytes", device);
  }

  static long livePinned() {
    return call("fakecuda_live_pinned");
  }

  @SuppressWarnings("restricted")
  private static long call(String name, Object... arguments) {
    SymbolLookup loaded = library;
    if (loaded == null) {
      throw new IllegalStateException("the test driver is not loaded");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemoryLayout[] layouts = new MemoryLayout[arguments.length];
      for (int i = 0; i < arguments.length; i++) {
        if (arguments[i] instanceof String text) {
          arguments[i] = arena.allocateFrom(text);
        }
        layouts[i] =
            switch (arguments[i]) {
              case MemorySegment pointer -> ADDRESS;
              case Long wide -> JAVA_LONG;
              default -> JAVA_INT;
            };
      }
      return (long)
          Linker.nativeLinker()
              .downcallHandle(loaded.findOrThrow(name), FunctionDescriptor.of(JAVA_LONG, layouts))
              .invokeWithArguments(arguments);
    } catch (Throwable e) {
      throw new IllegalStateException("calling " + name + " failed", e);
    }
  }
}
