package dev.ebb.llama.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ebb.host.errors.UserError;
import dev.ebb.llama.testing.Engine;
import dev.ebb.llama.testing.TinyModel;
import dev.ebb.server.demo.RandomModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LlamaModelTest {

  @TempDir private Path folder;

  @Test
  void saysWhichPlatformsThereAre() {
    assertThat(NativeLibrary.resource("Linux", "amd64"))
        .isEqualTo("/de/kherud/llama/Linux/x86_64/libjllama.so");
    assertThat(NativeLibrary.resource("Linux", "aarch64")).contains("/aarch64/");
    assertThatThrownBy(() -> NativeLibrary.resource("Linux", "riscv64"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'Linux' on 'riscv64'");
    assertThatThrownBy(() -> NativeLibrary.resource("Mac OS X", "aarch64"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("Linux on x86-64 or aarch64 only");
  }

  @Test
  void refusesWhatIsNoModel() throws IOException {
    Path text = Files.writeString(folder.resolve("text.gguf"), "not a model");
    assertThatThrownBy(() -> LlamaModel.open(text))
        .isInstanceOf(UserError.class)
        .hasMessage("the model '%s' is not a GGUF file", text);
    assertThatThrownBy(() -> LlamaModel.open(folder.resolve("none.gguf")))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("there is no such file");
  }

  @Test
  void knowsATruncatedModelWhereverItEnds() throws IOException {
    Engine.assumeRuns();
    Path whole = new TinyModel().write(folder.resolve("whole.gguf"));
    byte[] bytes = Files.readAllBytes(whole);
    Path part = folder.resolve("part.gguf");
    int header = 0;
    for (int length = 4; length < bytes.length; length += 1 + length / 8) {
      Files.write(part, Arrays.copyOf(bytes, length));
      String message = refusal(part);
      assertThat(message)
          .containsAnyOf("ends in the middle of its header", "is not within the file bounds");
      header += message.contains("header") ? 1 : 0;
    }
    assertThat(header).isGreaterThan(20);
    Files.write(part, Arrays.copyOf(bytes, bytes.length - 4));
    assertThat(refusal(part)).contains("is not within the file bounds");
  }

  /** Any content causes a message, and does not end the process. */
  @Test
  void refusesABrokenHeader() throws IOException {
    Engine.assumeRuns();
    byte[] bytes = Files.readAllBytes(new TinyModel().write(folder.resolve("whole.gguf")));
    Path broken = folder.resolve("broken.gguf");
    for (int at = 4; at < 24; at++) {
      byte[] changed = bytes.clone();
      changed[at] = (byte) 0xC7;
      Files.write(broken, changed);
      assertThat(refusal(broken))
          .containsAnyOf("header", "GGUF version", "cannot be loaded: ", "cannot be read");
    }
    assertThat(refusal(folder)).contains("it is not a file");
  }

  @Test
  void namesAnArchitectureThatIsNotSupported() throws IOException {
    Engine.assumeRuns();
    Path file = new TinyModel().of("perceptron").write(folder.resolve("other.gguf"));

    assertThat(refusal(file)).contains("unknown model architecture: 'perceptron'", "b4916");
  }

  @Test
  void saysThatHybridModelsAreNotSupported() throws IOException {
    Engine.assumeRuns();
    Path file = new TinyModel().of("granitehybrid").write(folder.resolve("hybrid.gguf"));

    assertThat(refusal(file))
        .contains("'granitehybrid' has attention and recurrent layers", "b4916", "use a");
  }

  @Test
  void opensRecurrentModelsForServersOnly() throws IOException {
    Engine.assumeRuns();
    Path file = folder.resolve("mamba.gguf");
    new RandomModel(
            "tiny", new RandomModel.Shape(2, 4, 2, 16, 128, 4096), RandomModel.Kind.RECURRENT)
        .write(file, (name, weights) -> {});

    assertThat(refusal(file)).contains("recurrent state", "ebb engine start");
    try (LlamaModel model = LlamaModel.openAny(file)) {
      assertThat(model.recurrent()).isTrue();
    }
  }

  @Test
  void refusesAModelWithoutAVocabulary() throws IOException {
    Engine.assumeRuns();
    Path file = new TinyModel().withoutVocabulary().write(folder.resolve("mute.gguf"));

    assertThatThrownBy(() -> LlamaModel.open(file))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("has no vocabulary");
  }

  private static String refusal(Path file) {
    UserError refused =
        assertThrows(UserError.class, () -> LlamaModel.open(file).close(), file::toString);
    String message = String.valueOf(refused.getMessage());
    assertThat(message).startsWith("the model '%s' ".formatted(file)).hasLineCount(1);
    return message;
  }

  @Test
  void refusesEveryCallAfterItWasClosed() throws IOException {
    Engine.assumeRuns();
    LlamaModel model = LlamaModel.open(new TinyModel().write(folder.resolve("tiny.gguf")));
    model.close();
    model.close();

    assertThatThrownBy(() -> model.tokenize("a", false)).hasMessage("the model is closed");
    assertThatThrownBy(() -> model.piece(3)).hasMessage("the model is closed");
    assertThatThrownBy(model::description).hasMessage("the model is closed");
    assertThatThrownBy(() -> new LlamaContext(model, new ContextOptions(32, 32, 1, 1, null)))
        .hasMessage("the model is closed");
    assertThat(model.shape().layers()).isEqualTo(TinyModel.LAYERS);
  }
}
