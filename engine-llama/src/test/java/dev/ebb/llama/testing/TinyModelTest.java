package dev.ebb.llama.testing;

import dev.ebb.llama.binding.LlamaModel;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A test whose methods share a tiny model. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class TinyModelTest {

  protected final TinyModel weights = new TinyModel();
  protected LlamaModel model;

  @BeforeAll
  void open(@TempDir Path folder) throws IOException {
    Engine.assumeRuns();
    model = LlamaModel.open(weights.write(folder.resolve("tiny.gguf")));
  }

  @AfterAll
  void close() {
    if (model != null) {
      model.close();
    }
  }
}
