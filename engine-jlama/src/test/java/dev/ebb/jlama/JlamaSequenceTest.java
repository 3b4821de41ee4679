package dev.ebb.jlama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Histories;
import dev.ebb.jlama.TinyJlama.Answer;
import dev.ebb.server.demo.RandomModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JlamaSequenceTest {

  private static final long SEED = 7;

  private static TinyJlama tiny;

  @BeforeAll
  static void open(@TempDir Path temp) throws IOException {
    tiny = new TinyJlama(temp);
  }

  @AfterAll
  static void close() {
    tiny.close();
  }

  @Test
  void aTruncatedFileIsNamedWithItsSizes(@TempDir Path temp) throws IOException {
    Path file = temp.resolve("model.safetensors");
    byte[] whole = Files.readAllBytes(tiny.folder.resolve("model.safetensors"));
    for (String each : List.of("config.json", "tokenizer.json")) {
      Files.copy(tiny.folder.resolve(each), temp.resolve(each));
    }
    for (int size : new int[] {0, 7, 100, whole.length - 1}) {
      Files.write(file, Arrays.copyOf(whole, size));
      assertThatThrownBy(() -> JlamaModel.open(temp))
          .isInstanceOf(UserError.class)
          .hasMessageContainingAll(
              "'%s' is damaged".formatted(file), "%d bytes".formatted(size), "download it again");
    }
    Files.write(file, new byte[] {-1, -1, -1, -1, -1, -1, -1, 127});
    assertThatThrownBy(() -> JlamaModel.open(temp)).hasMessageContaining("its header cannot have");
  }

  @Test
  void tokensAreThoseOfUnmodifiedJlamaWithAndWithoutReuse() {
    List<int[]> prompts = TinyJlama.prompts(Histories.times(25), SEED);
    long cached = 0;
    long all = 0;
    double worst = 0;
    Set<Integer> distinct = new HashSet<>();
    try (Ebb ebb = tiny.start(4_000);
        Ebb unshared = tiny.start(64)) {
      for (int[] prompt : prompts) {
        Answer expected = tiny.reference(prompt, 12);
        Namespace own = TinyJlama.NAMESPACE.withSalt(Arrays.toString(prompt));
        Answer alone = tiny.generate(unshared, own, prompt, 12);
        assertThat(alone.cached()).isZero();
        assertThat(alone.tokens()).isEqualTo(expected.tokens());
        worst = Math.max(worst, difference(alone, expected));
        Answer answer = tiny.generate(ebb, TinyJlama.NAMESPACE, prompt, 12);
        assertThat(answer.tokens()).isEqualTo(expected.tokens());
        worst = Math.max(worst, difference(answer, expected));
        distinct.addAll(answer.tokens());
        cached += answer.cached();
        all += prompt.length;
      }
    }
    assertThat(distinct).hasSizeGreaterThan(100);
    // On x86-64 they are equal in all bits.
    assertThat(worst).isLessThan(1e-4);
    assertThat(cached).isGreaterThan(all / 4);
  }

  @Test
  void aModelThatJlamaComputesInPartIsRefused(@TempDir Path temp) throws IOException {
    Path folder = temp.resolve("odd");
    new RandomModel("odd", new RandomModel.Shape(1, 4, 2, 32, 200, 64)).writeFolder(folder);
    assertThatThrownBy(() -> JlamaModel.open(folder))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'200'", "128", "GGUF");
    assertThatThrownBy(() -> JlamaModel.open(temp))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll(temp.toString(), "config.json");
  }

  private static double difference(Answer one, Answer other) {
    double most = 0;
    for (int i = 0; i < one.logits().length; i++) {
      most = Math.max(most, Math.abs(one.logits()[i] - other.logits()[i]));
    }
    return most;
  }
}
