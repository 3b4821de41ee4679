package dev.ebb.llama.testing;

import dev.ebb.server.demo.RandomModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** A random model of 3 layers and 4 query heads that share 2 KV heads. */
public final class TinyModel {

  /** Its depth. */
  public static final int LAYERS = 3;

  /** Query heads a layer. */
  public static final int QUERY_HEADS = 4;

  /** KV heads a layer. */
  public static final int KV_HEADS = 2;

  /** Elements of a key. */
  public static final int HEAD_DIM = 16;

  /** Elements between the layers. */
  public static final int WIDTH = QUERY_HEADS * HEAD_DIM;

  /** The epsilon of the norms. */
  public static final float EPSILON = RandomModel.EPSILON;

  /** The base of the rotation. */
  public static final double ROTATION_BASE = RandomModel.ROTATION_BASE;

  private final Map<String, float[]> weights = new HashMap<>();
  private final RandomModel model =
      new RandomModel(
          "tiny", new RandomModel.Shape(LAYERS, QUERY_HEADS, KV_HEADS, HEAD_DIM, 128, 4096));

  /** Creates a model. */
  public TinyModel() {}

  /**
   * Sets another name of the architecture.
   *
   * @param name an architecture
   * @return this
   */
  public TinyModel of(String name) {
    model.withArchitecture(name);
    return this;
  }

  /**
   * Sets a chat template.
   *
   * @param template as in the file
   * @return this
   */
  public TinyModel withChatTemplate(String template) {
    model.withChatTemplate(template);
    return this;
  }

  /**
   * Leaves out the texts of the tokens.
   *
   * @return this
   */
  public TinyModel withoutVocabulary() {
    model.withoutVocabulary();
    return this;
  }

  /**
   * A weight as stored in the file.
   *
   * @param name its name, which {@link #write} has written
   * @return rows, one for each output
   */
  public float[] weight(String name) {
    return Objects.requireNonNull(weights.get(name), name);
  }

  /**
   * How many tokens there are.
   *
   * @return tokens
   */
  public int vocabularySize() {
    return RandomModel.vocabulary().size();
  }

  /**
   * Writes the model.
   *
   * @param file where to
   * @return the file
   * @throws IOException if it cannot be written
   */
  public Path write(Path file) throws IOException {
    model.write(file, weights::put);
    return file;
  }
}
