package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cli.CommandProvider;
import dev.ebb.llama.testing.TinyModel;
import dev.ebb.server.cli.EngineProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class EngineStartCommandTest {

  @TempDir private Path folder;

  private record Result(int exitCode, String err) {}

  private Result run(String... options) {
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(List.of("start"));
    all.addAll(List.of(options));
    int exitCode =
        new CommandLine(new EngineProvider().command())
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err))
            .setExecutionExceptionHandler((failure, command, result) -> {
              err.write(String.valueOf(failure.getMessage()));
              return 1;
            })
            .execute(all.toArray(String[]::new));
    return new Result(exitCode, err.toString());
  }

  @Test
  void isFoundAsAService() {
    assertThat(ServiceLoader.load(CommandProvider.class))
        .hasAtLeastOneElementOfType(EngineProvider.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--eviction-policy sliding | 'sliding' | block policy such as lru",
        "--eviction-policy h2o(recent=64) | 'h2o' | ebb generate",
        "--eviction-window 64 | '64' | --context",
        "--memory-threshold 256 | '256' | leave it out",
        "--kv-block-size 0 | '0' | 1 to 1024",
        "--batch-size 4 | '4' | 8 to 8192",
        "--host 0.0.0.0 | '0.0.0.0' | --api-key-file",
        "--tls-key a.pem | --tls-certificate | give both",
        "--tls-client-ca ca.pem | 'ca.pem' | --tls-key",
        "--kv-pool-size lots | 'lots' | '2 GiB'",
        "--context 100 --kv-pool-size 1GiB | --kv-pool-size | one of them",
        "--enable-lifetime-prediction --eviction-policy lru | 'lru' | predictive"
      })
  void optionsThatCannotBeHonouredAreRefused(String options, String value, String remedy) {
    List<String> all = new ArrayList<>(List.of("model.gguf"));
    all.addAll(List.of(options.split(" ")));
    Result result = run(all.toArray(String[]::new));
    assertThat(result.exitCode).isEqualTo(2);
    assertThat(result.err).contains(value, remedy);
  }

  @Test
  void tooManyCellsAreExplained() throws IOException {
    Path config = TestServer.configure(folder);
    String model = new TinyModel().write(folder.resolve("tiny.gguf")).toString();
    Result result =
        run(model, "--config", config.toString(), "--context", "900000000", "--port", "0");
    assertThat(result.exitCode).isEqualTo(1);
    assertThat(result.err).contains("'90000", "--context", "--kv-pool-size");
  }
}
