package dev.ebb.llama.demo;

import java.io.IOException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.IntToDoubleFunction;

/**
 * A model of the Llama architecture with random weights, always the same ones for a shape. Its
 * vocabulary is bytes and some words. The end of text is never likely, so that an answer is as long
 * as the client allows.
 */
public final class RandomModel {

  /** The epsilon of the norms. */
  public static final float EPSILON = 1e-5f;

  /** The base of the rotation. */
  public static final float ROTATION_BASE = 10_000;

  private static final int SPECIAL = 3;

  /** The element that stays the same, large beside the others. */
  private static final float CONSTANT = 200;

  /** About the value of this element after the last norm. */
  private static final float NORMED = 15;

  private static final float UNLIKELY = -60;

  private static final List<String> WORDS =
      List.of("▁", "a", "e", "i", "o", "t", "h", "n", "s", "the", "▁the", "▁cat", "▁sat", "▁on");

  /**
   * The dimensions of a model.
   *
   * @param inner elements between the two products of a feed-forward network
   */
  public record Shape(
      int layers, int queryHeads, int kvHeads, int headDimension, int inner, int context) {

    /** Returns the elements of a token between the layers. */
    public int width() {
      return queryHeads * headDimension;
    }

    /** Returns the number of weights. */
    public long parameters() {
      long attention = 2L * width() * (width() + (long) kvHeads * headDimension);
      long layer = attention + 3L * width() * inner + 2L * width();
      return layers * layer + (2L * vocabulary().size() + 1) * width();
    }
  }

  private final Shape shape;
  private final String name;
  private final Random random = new Random(20_250_318);
  private String architecture = "llama";
  private String chatTemplate = "";
  private boolean text = true;
  private boolean letters;

  /** Creates a model. */
  public RandomModel(String name, Shape shape) {
    this.name = name;
    this.shape = shape;
  }

  /** Sets another name of the architecture. */
  public RandomModel withArchitecture(String other) {
    architecture = other;
    return this;
  }

  /** Sets a chat template. */
  public RandomModel withChatTemplate(String template) {
    chatTemplate = template;
    return this;
  }

  /**
   * Makes letters, words and spaces likely, and other bytes unlikely. In JSON, texts and lists end
   * soon. One element of each token's vector stays the same through all layers, so that weights for
   * it are added to the logits.
   */
  public RandomModel writingLetters() {
    letters = true;
    return this;
  }

  /** Leaves out the texts of the tokens. */
  public RandomModel withoutVocabulary() {
    text = false;
    return this;
  }

  /** Returns the texts of the tokens, in the order of their ids. */
  public static List<String> vocabulary() {
    List<String> vocabulary = new ArrayList<>(List.of("<unk>", "<s>", "</s>"));
    for (int value = 0; value < 256; value++) {
      vocabulary.add("<0x%02X>".formatted(value));
    }
    vocabulary.addAll(WORDS);
    return vocabulary;
  }

  /**
   * Writes the model as a GGUF file.
   *
   * @param weights receives the name and the elements of each tensor
   * @throws IOException if it cannot be written
   */
  public void write(Path file, BiConsumer<String, float[]> weights, OpenOption... options)
      throws IOException {
    GgufFile gguf = new GgufFile();
    header(gguf);
    int width = shape.width();
    int tokens = vocabulary().size();
    int keys = shape.kvHeads * shape.headDimension;
    // Larger than those of a trained model, so that different prompts have different answers.
    double attention = 2.4 / Math.sqrt(width);
    double network = 1.6 / Math.sqrt(width);
    tensor(gguf, weights, "token_embd.weight", 1, width, tokens);
    tensor(gguf, weights, "output_norm.weight", 1, width);
    tensor(gguf, weights, "output.weight", attention, width, tokens);
    for (int layer = 0; layer < shape.layers; layer++) {
      String block = "blk.%d.".formatted(layer);
      tensor(gguf, weights, block + "attn_norm.weight", 1, width);
      tensor(gguf, weights, block + "attn_q.weight", attention, width, width);
      tensor(gguf, weights, block + "attn_k.weight", attention, width, keys);
      tensor(gguf, weights, block + "attn_v.weight", attention, width, keys);
      tensor(gguf, weights, block + "attn_output.weight", attention, width, width);
      tensor(gguf, weights, block + "ffn_norm.weight", 1, width);
      tensor(gguf, weights, block + "ffn_gate.weight", network, width, shape.inner);
      tensor(gguf, weights, block + "ffn_up.weight", network, width, shape.inner);
      tensor(gguf, weights, block + "ffn_down.weight", network, shape.inner, width);
    }
    gguf.write(file, options);
  }

  private void header(GgufFile gguf) {
    List<String> vocabulary = vocabulary();
    gguf.put("general.architecture", architecture)
        .put("general.name", name)
        .put(architecture + ".context_length", shape.context)
        .put(architecture + ".embedding_length", shape.width())
        .put(architecture + ".block_count", shape.layers)
        .put(architecture + ".feed_forward_length", shape.inner)
        .put(architecture + ".attention.head_count", shape.queryHeads)
        .put(architecture + ".attention.head_count_kv", shape.kvHeads)
        .put(architecture + ".attention.layer_norm_rms_epsilon", EPSILON)
        .put(architecture + ".rope.dimension_count", shape.headDimension)
        .put(architecture + ".rope.freq_base", ROTATION_BASE)
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
        .put("tokenizer.ggml.scores", scores(vocabulary.size()))
        .put("tokenizer.ggml.token_type", types(vocabulary.size()))
        .put("tokenizer.ggml.bos_token_id", 1)
        .put("tokenizer.ggml.eos_token_id", 2)
        .put("tokenizer.ggml.unknown_token_id", 0);
  }

  private static float[] scores(int tokens) {
    float[] scores = new float[tokens];
    for (int i = tokens - WORDS.size(); i < tokens; i++) {
      scores[i] = -1 - (tokens - i);
    }
    return scores;
  }

  private static int[] types(int tokens) {
    int unknown = 2;
    int control = 3;
    int normal = 1;
    int bytes = 6;
    int[] types = new int[tokens];
    for (int i = 0; i < tokens; i++) {
      types[i] = i == 0 ? unknown : i < SPECIAL ? control : i < SPECIAL + 256 ? bytes : normal;
    }
    return types;
  }

  private void tensor(
      GgufFile gguf,
      BiConsumer<String, float[]> weights,
      String tensor,
      double scale,
      Integer... extents) {
    gguf.tensor(
        tensor,
        () -> {
          float[] data = draw(tensor, scale, extents);
          weights.accept(tensor, data);
          return data;
        },
        List.of(extents));
  }

  private float[] draw(String tensor, double scale, Integer... extents) {
    float[] data = new float[Arrays.stream(extents).reduce(1, Math::multiplyExact)];
    boolean norm = extents.length == 1;
    for (int i = 0; i < data.length; i++) {
      data[i] = (float) (norm ? 1 + 0.1 * random.nextGaussian() : scale * random.nextGaussian());
    }
    if (tensor.equals("output.weight")) {
      Arrays.fill(data, 0, SPECIAL * shape.width(), 0);
    }
    if (letters) {
      prefer(tensor, data, extents[0]);
    }
    return data;
  }

  private void prefer(String tensor, float[] data, int width) {
    if (tensor.equals("token_embd.weight")) {
      fill(data, width, token -> CONSTANT);
    } else if (tensor.equals("output.weight")) {
      fill(data, width, token -> preference(token) / NORMED);
    } else if (tensor.endsWith("attn_norm.weight") || tensor.endsWith("ffn_norm.weight")) {
      data[0] = 0;
    } else if (tensor.endsWith("attn_output.weight") || tensor.endsWith("ffn_down.weight")) {
      Arrays.fill(data, 0, width, 0);
    }
  }

  /** Returns what is added to the logit of a token, about. */
  private static float preference(int token) {
    int value = token - SPECIAL;
    if (value >= 256) {
      return 4;
    }
    return value < 0 ? UNLIKELY : preferenceOfByte((char) value);
  }

  private static float preferenceOfByte(char value) {
    return switch (value) {
      // They end a text, a list or an object in JSON.
      case '"' -> 3;
      case '}', ']', '.' -> -3;
      case ',' -> -5;
      case '{', '[', '-', '\\' -> -20;
      case '\n', '\t', '\r' -> -20;
      default -> value >= 'a' && value <= 'z' ? 2 : value >= '0' && value <= '9' ? -4 : UNLIKELY;
    };
  }

  /** Sets the first element of each row. */
  private static void fill(float[] data, int width, IntToDoubleFunction value) {
    for (int row = 0; row * width < data.length; row++) {
      data[row * width] = (float) value.applyAsDouble(row);
    }
  }
}
