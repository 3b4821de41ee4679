package dev.ebb.host.app;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.ebb.host.lifecycle.Ticker;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reports the state of the process to systemd, as sd_notify(3) does: a datagram to the Unix socket
 * {@code NOTIFY_SOCKET}, which the JDK cannot send. If systemd asks for it with {@code
 * WATCHDOG_USEC}, reports as well that the process serves, and systemd restarts one that does not
 * any more. Does nothing in a process that systemd has not started.
 */
@SuppressWarnings("restricted")
public final class Systemd implements AutoCloseable {

  private static final int UNIX = 1;
  private static final int DATAGRAM = 2;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int NO_SIGNAL = 0x4000;
  private static final int LONGEST_PATH = 107;

  private static final MemoryLayout[] SOCKET = {JAVA_INT, JAVA_INT, JAVA_INT};
  private static final MemoryLayout[] SEND_TO = {
    JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT
  };

  private final String socket;
  private @Nullable Ticker watchdog;

  private Systemd(String socket) {
    this.socket = socket;
  }

  /**
   * Reports that the process serves.
   *
   * @return to be closed when it begins to stop; null if systemd does not wait for reports
   * @throws IOException if the report cannot be sent
   */
  public static @Nullable Systemd ready(
      Map<String, String> environment, Predicate<Duration> answers) throws IOException {
    String path = environment.get("NOTIFY_SOCKET");
    if (path == null || path.isEmpty()) {
      return null;
    }
    Systemd systemd = new Systemd(path);
    systemd.send("READY=1");
    Duration timeout = watchdog(environment);
    if (timeout.isPositive()) {
      // As sd_watchdog_enabled(3) recommends, twice as often as needed, with the time for an
      // answer.
      systemd.watch(timeout.dividedBy(4), answers);
    }
    return systemd;
  }

  /** Returns the time after which systemd restarts a silent process; zero for never. */
  private static Duration watchdog(Map<String, String> environment) {
    String pid = environment.getOrDefault("WATCHDOG_PID", "");
    boolean other = !pid.isEmpty() && !pid.equals(Long.toString(ProcessHandle.current().pid()));
    String micros = environment.getOrDefault("WATCHDOG_USEC", "");
    return other || !micros.matches("[0-9]{1,15}")
        ? Duration.ZERO
        : Duration.of(Long.parseLong(micros), ChronoUnit.MICROS);
  }

  private void watch(Duration quarter, Predicate<Duration> answers) {
    watchdog =
        new Ticker(
            "ebb-systemd",
            Duration.ZERO,
            quarter,
            () -> {
              if (answers.test(quarter)) {
                sendQuietly("WATCHDOG=1");
              }
            });
  }

  @Override
  public void close() {
    if (watchdog != null) {
      watchdog.close();
    }
    sendQuietly("STOPPING=1");
  }

  private void sendQuietly(String state) {
    try {
      send(state);
    } catch (IOException gone) {
      // Systemd restarts a process whose reports it misses, and others stop or serve nevertheless.
    }
  }

  private void send(String state) throws IOException {
    byte[] text = state.getBytes(StandardCharsets.US_ASCII);
    byte[] path = socket.getBytes(StandardCharsets.UTF_8);
    if (path.length > LONGEST_PATH) {
      throw new IOException("NOTIFY_SOCKET '%s' is too long".formatted(socket));
    }
    if (path[0] == '@') {
      // A socket without a file.
      path[0] = 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(Short.BYTES + path.length + 1L);
      address.set(JAVA_SHORT, 0, (short) UNIX);
      MemorySegment.copy(path, 0, address, JAVA_BYTE, Short.BYTES, path.length);
      int length = Short.BYTES + path.length + (path[0] == 0 ? 0 : 1);
      int file =
          (int) function("socket", JAVA_INT, SOCKET).invokeExact(UNIX, DATAGRAM | CLOSE_ON_EXEC, 0);
      if (file < 0) {
        throw new IOException("no socket for NOTIFY_SOCKET '%s'".formatted(socket));
      }
      try {
        long sent =
            (long)
                function("sendto", JAVA_LONG, SEND_TO)
                    .invokeExact(
                        file,
                        arena.allocateFrom(JAVA_BYTE, text),
                        (long) text.length,
                        NO_SIGNAL,
                        address,
                        length);
        if (sent < 0) {
          throw new IOException("'%s' not sent to NOTIFY_SOCKET '%s'".formatted(state, socket));
        }
      } finally {
        int _ = (int) function("close", JAVA_INT, JAVA_INT).invokeExact(file);
      }
    } catch (IOException failed) {
      throw failed;
    } catch (Throwable impossible) {
      throw new IOException(impossible);
    }
  }

  private static MethodHandle function(
      String name, MemoryLayout result, MemoryLayout... parameters) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, parameters));
  }
}
