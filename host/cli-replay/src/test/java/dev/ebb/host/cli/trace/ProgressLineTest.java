package dev.ebb.host.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cli.output.StatusLine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

  /** A plugin's code that does not return. */
  public static final class Stuck implements Runnable {
    @Override
    public void run() {
      try {
        Thread.sleep(Duration.ofDays(1));
      } catch (InterruptedException over) {
        // The test has ended.
      }
    }
  }

  /** A class loader without a name, as that of a plugin. */
  private static final class Loader extends ClassLoader {
    Class<?> define(Class<?> type) throws IOException {
      String file = "/" + type.getName().replace('.', '/') + ".class";
      try (InputStream in = Objects.requireNonNull(type.getResourceAsStream(file))) {
        byte[] bytes = in.readAllBytes();
        return defineClass(type.getName(), bytes, 0, bytes.length);
      }
    }
  }

  @Test
  void namesTheLineOfAPluginThatDoesNotReturn() throws Exception {
    Object plugin = new Loader().define(Stuck.class).getConstructor().newInstance();
    Thread run = Thread.ofPlatform().name("replay-0").start((Runnable) plugin);
    CountDownLatch printed = new CountDownLatch(1);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream err =
        new PrintStream(out, true, StandardCharsets.UTF_8) {
          @Override
          public void println(String line) {
            super.println(line);
            printed.countDown();
          }
        };

    try (ProgressLine _ =
        new ProgressLine(new StatusLine(err, false), ended -> {}, Duration.ofMillis(20))) {
      printed.await();
    } finally {
      run.interrupt();
      run.join();
    }

    assertThat(out.toString(StandardCharsets.UTF_8))
        .matches(
            "ebb: no progress for 0 s, in dev.ebb.host.cli.trace.ProgressLineTest.Stuck"
                + ".run\\(ProgressLineTest.java:\\d+\\); Ctrl-C ends the replay\\R");
  }

  @Test
  void printsNothingOnceItIsClosed() throws Exception {
    Object plugin = new Loader().define(Stuck.class).getConstructor().newInstance();
    Thread run = Thread.ofPlatform().name("replay-0").start((Runnable) plugin);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(out, true, StandardCharsets.UTF_8);
    StatusLine status = new StatusLine(err, false);

    ProgressLine line = new ProgressLine(status, ended -> {}, Duration.ofMillis(20));
    synchronized (line) {
      while (line.watch.getState() != Thread.State.BLOCKED && line.watch.isAlive()) {
        Thread.sleep(1);
      }
      line.close();
    }
    line.watch.join();
    run.interrupt();
    run.join();

    assertThat(out.size()).isZero();
  }
}
