package dev.ebb.server.demo;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * A model with random weights, always the same ones for a shape and a kind. Its vocabulary is bytes
 * and some words. The end of text is never likely, so that an answer is as long as the client
 * allows.
 */
public final class RandomModel {

  /** The layers of a model. */
  public enum Kind {
    /** Full attention in all layers: Llama. */
    FULL("llama"),

    /** Recurrent layers only: Mamba. The width must be a multiple of 16. */
    RECURRENT("mamba"),

    /** Three layers of a sliding window to one of full attention: Cohere2. */
    WINDOW("cohere2");

    private final String architecture;

    Kind(String architecture) {
      this.architecture = architecture;
    }
  }

  /** The tokens of the sliding window of {@link Kind#WINDOW}. */
  public static final int WINDOW = 128;

  /**
   * The fewest layers of {@link Kind#WINDOW}: llama.cpp ends the process if one kind is missing.
   */
  public static final int WINDOW_LAYERS = 4;

  /** The epsilon of the norms. */
  public static final float EPSILON = 1e-5f;

  /** The base of the rotation. */
  public static final float ROTATION_BASE = 10_000;

  private static final int SPECIAL = 3;
  private static final int PARTS = 128;

  /** The tokens of Mamba's convolution. */
  private static final int CONVOLUTION = 4;

  /** The elements of Mamba's state for each inner element. */
  private static final int STATE = 16;

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
  }

  private final Shape shape;
  private final String name;
  private final Random random = new Random(20_250_318);
  private final Kind kind;
  private String architecture;
  private String chatTemplate = "";
  private boolean text = true;
  private boolean letters;
  private List<String> tokens = vocabulary();

  /** Creates a model with full attention. */
  public RandomModel(String name, Shape shape) {
    this(name, shape, Kind.FULL);
  }

  /** Creates a model of a kind. */
  public RandomModel(String name, Shape shape, Kind kind) {
    this.name = name;
    this.shape = shape;
    this.kind = kind;
    architecture = kind.architecture;
  }

  /** Returns the number of weights. */
  public long parameters() {
    return file((name, weights) -> {}).elements();
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
    file(weights).write(file, options);
  }

  /**
   * Writes the model with full attention as a new folder in the format of Hugging Face: {@code
   * config.json}, {@code tokenizer.json}, {@code tokenizer_config.json} and {@code
   * model.safetensors}.
   *
   * @throws IOException if it cannot be written
   * @throws FileAlreadyExistsException if the folder exists
   */
  public void writeFolder(Path folder) throws IOException {
    Files.createDirectory(folder);
    tokens = padded();
    FolderFiles files = new FolderFiles(shape, tokens, SPECIAL, chatTemplate);
    Files.writeString(folder.resolve("config.json"), files.config());
    Files.writeString(folder.resolve("tokenizer.json"), files.tokenizer());
    Files.writeString(folder.resolve("tokenizer_config.json"), files.tokenizerConfig());
    file((name, weights) -> {})
        .writeSafetensors(folder.resolve("model.safetensors"), FolderFiles::tensor);
  }

  /**
   * Returns the vocabulary with tokens that are never likely: Jlama divides it into equal parts.
   */
  private static List<String> padded() {
    List<String> padded = vocabulary();
    while (padded.size() % PARTS != 0) {
      padded.add("<unused%d>".formatted(padded.size()));
    }
    return padded;
  }

  private GgufFile file(BiConsumer<String, float[]> weights) {
    GgufFile gguf = new GgufFile();
    header(gguf);
    int width = shape.width();
    tensor(gguf, weights, "token_embd.weight", embedding(), width, tokens.size());
    tensor(gguf, weights, "output_norm.weight", 1, width);
    if (kind != Kind.WINDOW) {
      tensor(gguf, weights, "output.weight", attention(), width, tokens.size());
    }
    for (int layer = 0; layer < shape.layers; layer++) {
      String block = "blk.%d.".formatted(layer);
      tensor(gguf, weights, block + "attn_norm.weight", 1, width);
      if (kind == Kind.RECURRENT) {
        recurrent(gguf, weights, block);
      } else {
        attention(gguf, weights, block);
      }
    }
    return gguf;
  }

  // Larger than those of a trained model, so that different prompts have different answers.

  private double attention() {
    return 2.4 / Math.sqrt(shape.width());
  }

  private double network() {
    return 1.6 / Math.sqrt(shape.width());
  }

  /** Where the output has the weights of the embedding, a small one: no token asks for itself. */
  private double embedding() {
    return kind == Kind.WINDOW ? 4 / Math.sqrt(shape.width()) : 1;
  }

  private void attention(GgufFile gguf, BiConsumer<String, float[]> weights, String block) {
    int width = shape.width();
    int keys = shape.kvHeads * shape.headDimension;
    tensor(gguf, weights, block + "attn_q.weight", attention(), width, width);
    tensor(gguf, weights, block + "attn_k.weight", attention(), width, keys);
    tensor(gguf, weights, block + "attn_v.weight", attention(), width, keys);
    tensor(gguf, weights, block + "attn_output.weight", attention(), width, width);
    if (kind == Kind.FULL) {
      tensor(gguf, weights, block + "ffn_norm.weight", 1, width);
    }
    tensor(gguf, weights, block + "ffn_gate.weight", network(), width, shape.inner);
    tensor(gguf, weights, block + "ffn_up.weight", network(), width, shape.inner);
    tensor(gguf, weights, block + "ffn_down.weight", network(), shape.inner, width);
  }

  private void recurrent(GgufFile gguf, BiConsumer<String, float[]> weights, String block) {
    int width = shape.width();
    int inner = 2 * width;
    int rank = width / 16;
    double small = 1 / Math.sqrt(inner);
    tensor(gguf, weights, block + "ssm_in.weight", attention(), width, 2 * inner);
    tensor(gguf, weights, block + "ssm_conv1d.weight", 0.5, CONVOLUTION, inner);
    tensor(gguf, weights, block + "ssm_conv1d.bias", 0, inner);
    tensor(gguf, weights, block + "ssm_x.weight", 2 * small, inner, rank + 2 * STATE);
    tensor(gguf, weights, block + "ssm_dt.weight", 1 / Math.sqrt(rank), rank, inner);
    tensor(gguf, weights, block + "ssm_dt.bias", 0, inner);
    tensor(gguf, weights, block + "ssm_a", 0, STATE, inner);
    tensor(gguf, weights, block + "ssm_d", 1, inner);
    tensor(gguf, weights, block + "ssm_out.weight", small, inner, width);
  }

  private void header(GgufFile gguf) {
    int count = tokens.size();
    gguf.put("general.architecture", architecture)
        .put("general.name", name)
        .put(architecture + ".context_length", shape.context)
        .put(architecture + ".embedding_length", shape.width())
        .put(architecture + ".block_count", shape.layers)
        .put(architecture + ".vocab_size", count);
    if (kind == Kind.RECURRENT) {
      recurrentHeader(gguf);
    } else {
      attentionHeader(gguf);
    }
    if (!text) {
      gguf.put("tokenizer.ggml.model", "no_vocab");
      return;
    }
    if (!chatTemplate.isEmpty()) {
      gguf.put("tokenizer.chat_template", chatTemplate);
    }
    gguf.put("tokenizer.ggml.model", "llama")
        .put("tokenizer.ggml.tokens", tokens)
        .put("tokenizer.ggml.scores", each(token -> score(token, count)))
        .put("tokenizer.ggml.token_type", each(RandomModel::type))
        .put("tokenizer.ggml.bos_token_id", 1)
        .put("tokenizer.ggml.eos_token_id", 2)
        .put("tokenizer.ggml.unknown_token_id", 0);
  }

  private void attentionHeader(GgufFile gguf) {
    String epsilon = kind == Kind.WINDOW ? "layer_norm_epsilon" : "layer_norm_rms_epsilon";
    gguf.put(architecture + ".feed_forward_length", shape.inner)
        .put(architecture + ".attention.head_count", shape.queryHeads)
        .put(architecture + ".attention.head_count_kv", shape.kvHeads)
        .put(architecture + ".attention." + epsilon, EPSILON)
        .put(architecture + ".rope.dimension_count", shape.headDimension)
        .put(architecture + ".rope.freq_base", ROTATION_BASE);
    if (kind == Kind.WINDOW) {
      gguf.put(architecture + ".attention.sliding_window", WINDOW)
          .put(architecture + ".logit_scale", 1f);
    }
  }

  private void recurrentHeader(GgufFile gguf) {
    gguf.put(architecture + ".feed_forward_length", 0)
        .put(architecture + ".attention.head_count", 0)
        .put(architecture + ".attention.layer_norm_rms_epsilon", EPSILON)
        .put(architecture + ".ssm.conv_kernel", CONVOLUTION)
        .put(architecture + ".ssm.inner_size", 2 * shape.width())
        .put(architecture + ".ssm.state_size", STATE)
        .put(architecture + ".ssm.time_step_rank", shape.width() / 16);
  }

  private List<Object> each(IntFunction<Object> value) {
    return IntStream.range(0, tokens.size()).mapToObj(value).toList();
  }

  private static float score(int token, int tokens) {
    return token < tokens - WORDS.size() ? 0 : -1f - (tokens - token);
  }

  private static int type(int token) {
    int unknown = 2;
    int control = 3;
    int normal = 1;
    int bytes = 6;
    return token == 0
        ? unknown
        : token < SPECIAL ? control : token < SPECIAL + 256 ? bytes : normal;
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
    boolean norm = tensor.endsWith("norm.weight") || tensor.endsWith("ssm_d");
    for (int i = 0; i < data.length; i++) {
      data[i] = (float) (norm ? 1 + 0.1 * random.nextGaussian() : scale * random.nextGaussian());
    }
    if (tensor.endsWith("ssm_a")) {
      // How fast the elements of the state decay: within a few tokens to some hundred.
      for (int i = 0; i < data.length; i++) {
        data[i] = -0.05f * (1 + i % STATE);
      }
    } else if (tensor.endsWith("ssm_dt.bias")) {
      Arrays.fill(data, -2.5f);
    }
    if (tensor.equals("output.weight")) {
      Arrays.fill(data, 0, SPECIAL * shape.width(), 0);
      Arrays.fill(data, vocabulary().size() * shape.width(), data.length, 0);
    }
    if (letters) {
      prefer(tensor, data, extents[0]);
    }
    return data;
  }

  private void prefer(String tensor, float[] data, int width) {
    if (kind == Kind.WINDOW) {
      preferTied(tensor, data, width);
    } else if (tensor.equals("token_embd.weight")) {
      fill(data, width, token -> CONSTANT);
    } else if (tensor.equals("output.weight")) {
      fill(data, width, token -> preference(token) / NORMED);
    } else if (tensor.endsWith("attn_norm.weight") || tensor.endsWith("ffn_norm.weight")) {
      // A recurrent layer multiplies its inputs, so those beside the constant must not be small.
      for (int i = 0; kind == Kind.RECURRENT && i < data.length; i++) {
        data[i] *= 4;
      }
      data[0] = 0;
    } else if (tensor.endsWith("attn_output.weight")
        || tensor.endsWith("ffn_down.weight")
        || tensor.endsWith("ssm_out.weight")) {
      Arrays.fill(data, 0, width, 0);
    }
  }

  /** Makes the vectors of unlikely tokens short: their logits are near 0, others far from it. */
  private static void preferTied(String tensor, float[] data, int width) {
    for (int i = 0; tensor.equals("token_embd.weight") && i < data.length; i++) {
      data[i] *= preference(i / width) > 0 ? 1 : 0.01f;
    }
  }

  /** Returns what is added to the logit of a token, about. */
  private static float preference(int token) {
    int value = token - SPECIAL;
    if (value >= 256) {
      return value < 256 + WORDS.size() ? 4 : UNLIKELY;
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
