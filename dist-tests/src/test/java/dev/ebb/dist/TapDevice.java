package dev.ebb.dist;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** A virtual Ethernet device of Linux, whose frames this process reads and writes. */
@SuppressWarnings("restricted")
final class TapDevice {

  static final int LARGEST_FRAME = 65_536;

  private static final int READ_AND_WRITE = 2;
  private static final long SET_INTERFACE = 0x400454caL;
  private static final short FRAMES_WITHOUT_HEADER = 0x1002;
  private static final int REQUEST_BYTES = 40;
  private static final int FLAGS_AT = 16;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle OPEN =
      function("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), 2);
  private static final MethodHandle CONTROL =
      function("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), 2);
  private static final MethodHandle READ =
      LINKER.downcallHandle(
          symbol("read"), FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle WRITE =
      LINKER.downcallHandle(
          symbol("write"), FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));

  private final int descriptor;

  /** Creates a device, which exists until it is deleted or this process ends. */
  TapDevice(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      descriptor = (int) OPEN.invokeExact(arena.allocateFrom("/dev/net/tun"), READ_AND_WRITE);
      MemorySegment request = arena.allocate(REQUEST_BYTES);
      request.setString(0, name);
      request.set(ValueLayout.JAVA_SHORT, FLAGS_AT, FRAMES_WITHOUT_HEADER);
      if (descriptor < 0 || (int) CONTROL.invokeExact(descriptor, SET_INTERFACE, request) < 0) {
        throw new IOException("/dev/net/tun does not give the device '%s'".formatted(name));
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static MemorySegment symbol(String name) {
    return LINKER.defaultLookup().find(name).orElseThrow();
  }

  private static MethodHandle function(String name, FunctionDescriptor form, int fixedArguments) {
    return LINKER.downcallHandle(
        symbol(name), form, Linker.Option.firstVariadicArg(fixedArguments));
  }

  /** Reads one frame and returns its length; negative after the device was deleted. */
  int read(MemorySegment frame) {
    return transfer(READ, frame, frame.byteSize());
  }

  /** Writes one frame; one that does not fit into the device's queue is lost. */
  void write(MemorySegment frame, int length) {
    transfer(WRITE, frame, length);
  }

  private int transfer(MethodHandle function, MemorySegment frame, long length) {
    try {
      return (int) (long) function.invokeExact(descriptor, frame, length);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
