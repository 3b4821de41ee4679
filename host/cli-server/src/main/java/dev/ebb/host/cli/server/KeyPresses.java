package dev.ebb.host.cli.server;

import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The keys pressed on a terminal, which come without the Return key until this is closed. */
public final class KeyPresses implements AutoCloseable {

  private static final long POLL_MILLIS = 50;

  private final InputStream keys;
  private final String before;

  /**
   * Reads keys.
   *
   * @param before the terminal's settings to restore; empty to leave them
   */
  public KeyPresses(InputStream keys, String before) {
    this.keys = keys;
    this.before = before;
  }

  /** Reads those of the terminal; where it cannot be set, they come with the Return key. */
  static KeyPresses onTerminal() {
    String before = Terminal.stty("-g");
    if (!before.isEmpty()) {
      Terminal.stty("-icanon", "-echo", "min", "1");
    }
    return new KeyPresses(System.in, before);
  }

  /** Waits; returns early, and true, if the key is pressed or the thread is to end. */
  public boolean await(char key, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    do {
      if (isPressed(key)) {
        return true;
      }
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (!ServerOptions.pause(Duration.ofMillis(Math.clamp(left, 1, POLL_MILLIS)))) {
        return true;
      }
    } while (System.nanoTime() < end);
    return false;
  }

  private boolean isPressed(char key) {
    try {
      while (keys.available() > 0) {
        if (Character.toLowerCase(keys.read()) == key) {
          return true;
        }
      }
      return false;
    } catch (IOException lost) {
      throw new UncheckedIOException(lost);
    }
  }

  @Override
  public void close() {
    if (!before.isEmpty()) {
      Terminal.stty(before);
    }
  }
}
