package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A JVM of somebody else's that has Ebb in it, and the command line that operates it. */
class EmbeddedIT {

  private static final String ENGINE =
      """
      import dev.ebb.host.device.*;
      import dev.ebb.host.engine.*;
      import dev.ebb.host.engine.request.*;
      import dev.ebb.host.engine.sequence.Sequence;
      import dev.ebb.host.pool.*;
      import java.nio.file.Path;

      public class Engine {

        public static void main(String[] args) throws Exception {
          KvLayout layout = new KvLayout(2, 2, 8, 4, DType.FP16);
          EbbOptions options = EbbOptions.of(layout, Path.of(args[0])).withSettings(
              "ebb { pool.size = 64 KiB, admin { enabled = true, port = 0, token = s3cret } }");
          try (HostDevice device = new HostDevice(); Ebb ebb = Ebb.start(options, device)) {
            Namespace model = Namespace.of("tiny");
            ebb.open(SequenceRequest.of(model, 1, 2, 3, 4).withDevice("host")).finish();
            Sequence open = ebb.open(SequenceRequest.of(model, 1, 2, 3, 4, 5).withDevice("host"));
            System.out.println(ebb.adminAddress().getPort());
            System.in.read();
            System.out.println(open.device() + " " + open.length());
          }
        }
      }
      """;

  @TempDir private Path directory;

  @Test
  void anEmbeddedEngineIsOperated() throws IOException, InterruptedException {
    Path source = Files.writeString(directory.resolve("Engine.java"), ENGINE);
    Process engine =
        CompiledProgram.of(
                source, directory, CompiledProgram.jars(Ebb.ROOT.resolve("dist/target/ebb/lib")))
            .process("Engine", Ebb.ROOT.toString())
            .directory(directory.toFile())
            .redirectError(directory.resolve("err").toFile())
            .start();
    try (BufferedReader out = engine.inputReader()) {
      String port = out.readLine();
      assertThat(port).as(Files.readString(directory.resolve("err"))).matches("\\d+");
      operate(new Ebb(directory), "http://127.0.0.1:" + port);
      engine.outputWriter().append('\n').flush();
      assertThat(out.readLine()).isEqualTo("host 5");
      assertThat(engine.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(engine.exitValue()).isZero();
    } finally {
      engine.destroyForcibly();
    }
  }

  private static void operate(Ebb ebb, String url) {
    assertThat(ebb.run("stats", "--url", url).err()).contains("wants a token");
    assertThat(run(ebb, url, "stats").out()).contains("1 open, 2 opened");
    assertThat(run(ebb, url, "pool", "map", "--device", "host").out()).contains("s shared 1");

    Ebb.Run set = run(ebb, url, "policy", "set", "sieve");
    assertThat(set.out()).startsWith("'sieve' is active; the previous policy was 'lru'");
    JsonNode pools = run(ebb, url, "pool", "stats", "--json").json().get("pools");
    assertThat(pools.findValuesAsString("policy")).containsExactly("sieve");

    long sequence = pools.at("/0/sequences/0/id").longValue();
    assertThat(run(ebb, url, "pool", "migrate", "--sequence", "" + sequence, "--to", "cuda:7"))
        .extracting(Ebb.Run::exitCode, Ebb.Run::err)
        .containsExactly(1, "ebb: there is no device 'cuda:7'; this Ebb has [host]\n");
    assertThat(run(ebb, url, "pool", "defrag", "--device", "host").out())
        .startsWith("host: moved ");
    assertThat(run(ebb, url, "pool", "defrag", "--device", "third", "--size", "1 MiB"))
        .extracting(Ebb.Run::exitCode, Ebb.Run::err)
        .containsExactly(1, "ebb: there is no device 'third'; this Ebb has [host]\n");
  }

  private static Ebb.Run run(Ebb ebb, String url, String... command) {
    String[] all = Arrays.copyOf(command, command.length + 4);
    all[command.length] = "--url";
    all[command.length + 1] = url;
    all[command.length + 2] = "--token";
    all[command.length + 3] = "s3cret";
    return ebb.run(all);
  }
}
