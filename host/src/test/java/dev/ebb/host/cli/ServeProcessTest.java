package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ebb serve} in a process of its own, which plugins and files try to end or to keep. */
class ServeProcessTest {

  private static final String INTERRUPTS_ALL =
      """
      Thread.ofPlatform().daemon().start(() -> {
        try {
          Thread.sleep(3_000);
        } catch (InterruptedException e) {
          return;
        }
        for (Thread each : Thread.getAllStackTraces().keySet()) {
          each.interrupt();
        }
        System.err.println("all are interrupted");
      });
      """;

  private static final String NEVER_ENDS =
      """
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        while (true) {
          Thread.onSpinWait();
        }
      }));
      """;

  @TempDir private Path home;

  @Test
  void aPluginThatInterruptsAllThreadsEndsNothing() throws Exception {
    try (EbbProcess ebb = serve(INTERRUPTS_ALL)) {
      ebb.awaitOutput("all are interrupted");
      config("ebb.sever.port = 1");
      ebb.awaitOutput("unknown key 'ebb.sever'");

      assertThat(ebb.isRunning()).isTrue();
      assertThat(ebb.output()).doesNotContain("Exception");

      ebb.terminate();
      assertThat(ebb.exitCode()).isEqualTo(143);
      assertThat(ebb.output()).doesNotContain("shutdown hook");
    }
  }

  @Test
  void aShutdownHookThatNeverEndsIsNotWaitedFor() throws Exception {
    try (EbbProcess ebb = serve(NEVER_ENDS)) {
      ebb.awaitOutput("ebb: serving RESP");
      ebb.terminate();

      assertThat(ebb.exitCode()).isEqualTo(143);
      assertThat(ebb.output())
          .contains(
              "ebb: a shutdown hook of a plugin did not end within 5 s; the process ends without"
                  + " it");
    }
  }

  private EbbProcess serve(String inCreate) throws IOException {
    PluginJarBuilder.plugin("acme")
        .policy("mine", inCreate)
        .writeTo(Configs.plugins(home), "acme.jar");
    return EbbProcess.start(home, Map.of(), "serve", "--config", config("").toString());
  }

  private Path config(String settings) {
    String fixed =
        """
        ebb.plugins { folder = "%s", run = "%s", rescan = 1 s }
        ebb.pool.size = 2 MiB
        ebb.server.port = 0
        ebb.admin.port = 0
        ebb.eviction.policy = mine
        """
            .formatted(home.resolve("plugins"), home.resolve("run"));
    return Configs.file(home, fixed + settings);
  }
}
