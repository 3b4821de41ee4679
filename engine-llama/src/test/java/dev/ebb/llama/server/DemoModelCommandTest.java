package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.llama.binding.ChatMessage;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.demo.RandomModel;
import dev.ebb.llama.testing.Engine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DemoModelCommandTest {

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new DemoModelCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .setExecutionExceptionHandler((failure, command, result) -> {
          err.write(String.valueOf(failure.getMessage()));
          return 1;
        })
        .execute(arguments);
  }

  @Test
  void writesAModelThatAnswers() {
    Engine.assumeRuns();
    Path file = folder.resolve("demo.gguf");
    assertThat(run(file.toString(), "--layers", "1")).as(err.toString()).isZero();
    assertThat(out.toString()).contains("demo.gguf", "3.3 million");
    RandomModel.Shape shape = new RandomModel.Shape(1, 8, 2, 64, 1_536, 8_192);
    try (LlamaModel model = LlamaModel.open(file)) {
      assertThat(model.bytes()).isEqualTo(shape.parameters() * Float.BYTES);
      assertThat(model.shape().trainedContext()).isEqualTo(8_192);
      assertThat(model.chatPrompt(List.of(new ChatMessage("user", "hello")))).contains("hello");
      int[] prompt = TestServer.prompt(1, 40);
      int[] other = TestServer.prompt(2, 40);
      assertThat(TestServer.alone(model, prompt, 24))
          .isNotEqualTo(TestServer.alone(model, other, 24))
          .isEqualTo(TestServer.alone(model, prompt, 24));
    }
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
