package dev.ebb.llama.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * A model of the Llama architecture with random weights, always the same ones: 3 layers, 4 query
 * heads that share 2 KV heads, and a vocabulary of bytes and some words.
 */
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

  /** What the mean square is kept from zero by. */
  public static final float EPSILON = 1e-5f;

  /** The base of the rotation. */
  public static final double ROTATION_BASE = 10_000;

  private static final int INNER = 128;
  private static final int SPECIAL = 3;
  private static final List<String> WORDS =
      List.of("▁", "a", "e", "i", "o", "t", "h", "n", "s", "the", "▁the", "▁cat", "▁sat", "▁on");

  private final Map<String, float[]> weights = new HashMap<>();
  private final Random random = new Random(20_250_318);
  private String architecture = "llama";
  private String chatTemplate = "";
  private boolean text = true;
  private final List<String> vocabulary = new ArrayList<>(List.of("<unk>", "<s>", "</s>"));

  /** Draws the weights. */
  public TinyModel() {
    for (int value = 0; value < 256; value++) {
      vocabulary.add("<0x%02X>".formatted(value));
    }
    vocabulary.addAll(WORDS);
  }

  /**
   * Calls itself something else.
   *
   * @param name an architecture
   * @return this
   */
  public TinyModel of(String name) {
    architecture = name;
    return this;
  }

  /**
   * Has a chat template.
   *
   * @param template as in the file
   * @return this
   */
  public TinyModel withChatTemplate(String template) {
    chatTemplate = template;
    return this;
  }

  /**
   * Has numbered tokens only.
   *
   * @return this
   */
  public TinyModel withoutVocabulary() {
    text = false;
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
    return vocabulary.size();
  }

  /**
   * Writes the model.
   *
   * @param file where to
   * @return the file
   * @throws IOException if it cannot be written
   */
  public Path write(Path file) throws IOException {
    GgufFile gguf = new GgufFile();
    header(gguf);
    tensor(gguf, "token_embd.weight", 1, WIDTH, vocabulary.size());
    tensor(gguf, "output_norm.weight", 1, WIDTH);
    tensor(gguf, "output.weight", 0.3, WIDTH, vocabulary.size());
    for (int layer = 0; layer < LAYERS; layer++) {
      String block = "blk.%d.".formatted(layer);
      tensor(gguf, block + "attn_norm.weight", 1, WIDTH);
      tensor(gguf, block + "attn_q.weight", 0.3, WIDTH, WIDTH);
      tensor(gguf, block + "attn_k.weight", 0.3, WIDTH, KV_HEADS * HEAD_DIM);
      tensor(gguf, block + "attn_v.weight", 0.3, WIDTH, KV_HEADS * HEAD_DIM);
      tensor(gguf, block + "attn_output.weight", 0.3, WIDTH, WIDTH);
      tensor(gguf, block + "ffn_norm.weight", 1, WIDTH);
      tensor(gguf, block + "ffn_gate.weight", 0.2, WIDTH, INNER);
      tensor(gguf, block + "ffn_up.weight", 0.2, WIDTH, INNER);
      tensor(gguf, block + "ffn_down.weight", 0.2, INNER, WIDTH);
    }
    gguf.write(file);
    return file;
  }

  private void header(GgufFile gguf) {
    gguf.put("general.architecture", architecture)
        .put("general.name", "tiny")
        .put(architecture + ".context_length", 4096)
        .put(architecture + ".embedding_length", WIDTH)
        .put(architecture + ".block_count", LAYERS)
        .put(architecture + ".feed_forward_length", INNER)
        .put(architecture + ".attention.head_count", QUERY_HEADS)
        .put(architecture + ".attention.head_count_kv", KV_HEADS)
        .put(architecture + ".attention.layer_norm_rms_epsilon", EPSILON)
        .put(architecture + ".rope.dimension_count", HEAD_DIM)
        .put(architecture + ".rope.freq_base", (float) ROTATION_BASE)
        .put(architecture + ".vocab_size", vocabulary.size());
    if (!text) {
      gguf.put("tokenizer.ggml.model", "no_vocab");
      return;
    }
    if (!chatTemplate.isEmpty()) {
      gguf.put("tokenizer.chat_template", chatTemplate);
    }
    gguf.put("tokenizer.ggml.model", "llama")
        .put("tokenizer.ggml.tokens", vocabulary)
        .put("tokenizer.ggml.scores", scores())
        .put("tokenizer.ggml.token_type", types())
        .put("tokenizer.ggml.bos_token_id", 1)
        .put("tokenizer.ggml.eos_token_id", 2)
        .put("tokenizer.ggml.unknown_token_id", 0);
  }

  private float[] scores() {
    float[] scores = new float[vocabulary.size()];
    for (int i = vocabulary.size() - WORDS.size(); i < scores.length; i++) {
      scores[i] = -1 - (scores.length - i);
    }
    return scores;
  }

  private int[] types() {
    int unknown = 2;
    int control = 3;
    int normal = 1;
    int bytes = 6;
    int[] types = new int[vocabulary.size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = i == 0 ? unknown : i < SPECIAL ? control : i < SPECIAL + 256 ? bytes : normal;
    }
    return types;
  }

  /** The end of text is never likely, so that an answer has the length that a test asks for. */
  private void tensor(GgufFile gguf, String name, double scale, int... extents) {
    int size = 1;
    for (int extent : extents) {
      size *= extent;
    }
    float[] data = new float[size];
    boolean norm = extents.length == 1;
    for (int i = 0; i < size; i++) {
      data[i] = (float) (norm ? 1 + 0.1 * random.nextGaussian() : scale * random.nextGaussian());
    }
    if (name.equals("output.weight")) {
      Arrays.fill(data, 0, SPECIAL * WIDTH, 0);
    }
    weights.put(name, data);
    gguf.tensor(name, data, extents);
  }
}
