package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.testing.Engine;
import dev.ebb.server.cli.EngineProvider;
import dev.ebb.server.demo.RandomModel;
import dev.ebb.server.model.ChatMessage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class DemoModelCommandTest {

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new EngineProvider().command())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .setExecutionExceptionHandler((failure, command, result) -> {
          err.write(String.valueOf(failure.getMessage()));
          return 1;
        })
        .execute(
            Stream.concat(Stream.of("demo-model"), Stream.of(arguments)).toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"full, 1, 3.3 million", "recurrent, 1, 2.0 million", "window, 4, 12.2 million"})
  void writesAModelThatAnswers(String kind, int layers, String size) {
    Engine.assumeRuns();
    Path file = folder.resolve("demo.gguf");
    assertThat(run(file.toString(), "--layers", "" + layers, "--kind", kind))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).contains("demo.gguf", size);
    RandomModel.Shape shape = new RandomModel.Shape(layers, 8, 2, 64, 1_536, 8_192);
    RandomModel.Kind of = RandomModel.Kind.valueOf(kind.toUpperCase(Locale.ROOT));
    try (LlamaModel model = LlamaModel.openAny(file)) {
      assertThat(model.recurrent()).isEqualTo(of == RandomModel.Kind.RECURRENT);
      assertThat(model.bytes())
          .isEqualTo(new RandomModel("demo", shape, of).parameters() * Float.BYTES);
      assertThat(model.shape().trainedContext()).isEqualTo(8_192);
      assertThat(model.chatPrompt(List.of(new ChatMessage("user", "hello")))).contains("hello");
      int[] prompt = TestServer.prompt(1, 40);
      int[] other = TestServer.prompt(2, 40);
      int[] answer = TestServer.alone(model, prompt, 24);
      assertThat(answer)
          .isNotEqualTo(TestServer.alone(model, other, 24))
          .isEqualTo(TestServer.alone(model, prompt, 24));
      assertThat(Arrays.stream(answer).distinct().count()).isGreaterThan(4);
      assertThat(TestServer.text(model, answer)).matches("[a-z \"0-9]+");
    }
  }

  @Test
  void refusesKindsThatItCannotWrite() {
    String file = folder.resolve("demo.gguf").toString();
    assertThat(run(file, "--kind", "hybrid")).isEqualTo(2);
    assertThat(err.toString()).contains("'hybrid'", "use recurrent");
    assertThat(run(file, "--kind", "sparse")).isEqualTo(2);
    assertThat(err.toString()).contains("'sparse'", "full, recurrent or window");
    assertThat(run(file, "--kind", "window", "--layers", "3")).isEqualTo(2);
    assertThat(err.toString()).contains("'3'", "at least 4");
  }

  @Test
  void replacesNoFile() {
    Path file = folder.resolve("demo.gguf");
    assertThat(run(file.toString(), "--layers", "1")).isZero();
    assertThat(run(file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("demo.gguf", "exists", "another name");
  }

  @Test
  void limitsTheLayers() {
    assertThat(run(folder.resolve("demo.gguf").toString(), "--layers", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("'0'", "1 to 64");
  }
}
