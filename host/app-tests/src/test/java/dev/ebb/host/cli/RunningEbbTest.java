package dev.ebb.host.cli;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test with a running server. */
abstract class RunningEbbTest {

  /** A key that is not text. */
  static final byte[] BINARY = {0, (byte) 0xFF, '/', '%', '\n'};

  @TempDir Path home;
  RunningEbb ebb;

  @BeforeEach
  void start() {
    ebb = RunningEbb.start(home);
  }

  @AfterEach
  void stop() {
    ebb.close();
  }
}
