package dev.ebb.host.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.cli.server.KeyPresses;
import dev.ebb.host.testing.Awaiting;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyPressesTest {

  private static final Path SCRIPT = Path.of("/usr/bin/script");

  @TempDir private Path home;

  @Test
  void theKeyIsFoundAmongOthers() {
    try (KeyPresses keys =
        new KeyPresses(new ByteArrayInputStream("x\nQ".getBytes(US_ASCII)), "")) {
      assertThat(keys.await('q', Duration.ofDays(1))).isTrue();
    }
  }

  @Test
  void withoutItTheTimePasses() {
    try (KeyPresses keys = new KeyPresses(new ByteArrayInputStream("x".getBytes(US_ASCII)), "")) {
      assertThat(keys.await('q', Duration.ofMillis(1))).isFalse();
    }
  }

  @Test
  void topEndsWithQOnATerminal() throws Exception {
    assumeTrue(Files.isExecutable(SCRIPT), "there is no 'script', which makes a terminal");
    try (RunningEbb ebb = RunningEbb.start(home)) {
      String command =
          "stty -g; %s -cp '%s' %s top --url %s; echo status $?; stty -g"
              .formatted(
                  Path.of(System.getProperty("java.home"), "bin", "java"),
                  System.getProperty("java.class.path"),
                  EbbMain.class.getName(),
                  ebb.url());
      Path output = home.resolve("screen");
      Process terminal =
          new ProcessBuilder(SCRIPT.toString(), "-qfec", command, "/dev/null")
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      Awaiting.until(() -> contentOf(output.toFile()).contains("hit ratio") || !terminal.isAlive());
      try (OutputStream keyboard = terminal.getOutputStream()) {
        keyboard.write('q');
        keyboard.flush();
        terminal.waitFor();
      }
      String screen = Files.readString(output);
      assertThat(screen).contains("status 0");
      String[] lines = screen.strip().split("\\R");
      assertThat(lines[lines.length - 1]).as("settings of the terminal").isEqualTo(lines[0]);
    }
  }
}
