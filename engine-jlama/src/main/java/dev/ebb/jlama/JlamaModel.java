package dev.ebb.jlama;

import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.model.ModelSupport;
import com.github.tjake.jlama.safetensors.Config;
import com.github.tjake.jlama.safetensors.prompt.PromptContext;
import com.github.tjake.jlama.safetensors.prompt.PromptSupport;
import com.github.tjake.jlama.safetensors.tokenizer.BPETokenizer;
import com.github.tjake.jlama.safetensors.tokenizer.TokenizerModel;
import com.github.tjake.jlama.tensor.KvBufferCache;
import com.github.tjake.jlama.tensor.operations.TensorOperationsProvider;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.server.model.ChatMessage;
import dev.ebb.server.model.ServedModel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model of Jlama. Its sequences have their K and V in blocks of Ebb. One thread computes at a
 * time; Jlama divides the work among its own threads.
 */
public final class JlamaModel implements ServedModel, AutoCloseable {

  private static final Pattern BYTE = Pattern.compile("<0x([0-9A-F]{2})>");

  private static final String VECTORS = "jdk.incubator.vector";

  private final AbstractModel model;
  private final Config config;
  private final TokenizerModel tokenizer;
  private final KvBufferCache buffers;

  private JlamaModel(AbstractModel model) {
    this.model = model;
    config = model.getConfig();
    tokenizer = model.getTokenizer().getModel();
    buffers = new KvBufferCache(model);
  }

  /**
   * Loads a model. Weights stay in their file, which is mapped.
   *
   * @param folder with {@code config.json}, {@code tokenizer.json} and {@code model.safetensors}
   * @throws UserError if it is not such a folder, or Jlama cannot read it
   */
  public static JlamaModel open(Path folder) {
    if (ModuleLayer.boot().findModule(VECTORS).isEmpty()) {
      throw new UserError(
          "Jlama needs the Java option --add-modules=%s; start it with the launcher 'ebb', or set EBB_JAVA_OPTS"
              .formatted(VECTORS));
    }
    if (!isModel(folder)) {
      throw new UserError(
          "'%s' is not a model folder; it needs config.json, tokenizer.json and model.safetensors"
              .formatted(folder));
    }
    WeightFiles.requireWhole(folder);
    try {
      JlamaModel opened =
          withLoader(() ->
              new JlamaModel(
                  ModelSupport.loadModel(
                      folder.toFile(),
                      com.github.tjake.jlama.safetensors.DType.F32,
                      com.github.tjake.jlama.safetensors.DType.I8)));
      opened.requireWholeParts(folder);
      return opened;
    } catch (UserError refused) {
      throw refused;
    } catch (RuntimeException | LinkageError failed) {
      throw new UserError(
          "Jlama cannot load '%s': %s; use a model of the kinds %s"
              .formatted(folder, reason(failed), Arrays.toString(ModelSupport.ModelType.values())));
    }
  }

  /** Refuses sizes that Jlama would compute in part only, with wrong answers. */
  private void requireWholeParts(Path folder) {
    int parts = TensorOperationsProvider.get().parallelSplitSize();
    for (int size :
        new int[] {
          config.vocabularySize, config.embeddingLength, config.hiddenLength, config.kvLength
        }) {
      int each = size / Math.min(size, parts);
      if (parts > 1 && Math.min(size, parts) * each + size % each < size) {
        close();
        throw new UserError(
            "Jlama cannot compute '%s': its size '%d' is not a multiple of %d; use a GGUF file of the model with llama.cpp"
                .formatted(folder, size, parts));
      }
    }
  }

  private static String reason(Throwable failed) {
    Throwable cause = failed;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.toString();
  }

  /** Returns whether a path is a folder with the files of a model. */
  public static boolean isModel(Path path) {
    return Files.exists(path.resolve("config.json"))
        && Files.exists(path.resolve("tokenizer.json"))
        && (Files.exists(path.resolve("model.safetensors"))
            || Files.exists(path.resolve("model.safetensors.index.json")));
  }

  /**
   * Returns the shape of a block. Each layer is one lane, because Jlama reads the KV heads of a
   * token side by side.
   */
  public KvLayout layout(int blockTokens) {
    return new KvLayout(config.numberOfLayers, 1, config.kvLength, blockTokens, DType.FP32);
  }

  /** Returns a sequence to compute with; it has to be opened with a layout of this model. */
  public JlamaSequence sequence(Sequence sequence, int blockTokens) {
    return new JlamaSequence(
        model,
        new BlockBuffer(buffers, config.numberOfLayers, config.kvLength, blockTokens),
        sequence);
  }

  public int contextTokens() {
    return config.contextLength;
  }

  @Override
  public int vocabulary() {
    return config.vocabularySize;
  }

  @Override
  public boolean endsGeneration(int token) {
    return config.eosTokens.contains(token);
  }

  /**
   * Returns the tokens of a text, after the model's begin token if it has one. Jlama recognizes
   * special tokens in every text.
   */
  @Override
  public int[] tokenize(String text, boolean special) {
    return model.encodePrompt(PromptContext.of(text));
  }

  @Override
  public String chatTemplate() {
    return tokenizer.promptTemplates().map(all -> all.getOrDefault("default", "")).orElse("");
  }

  @Override
  public String chatPrompt(List<ChatMessage> messages) {
    PromptSupport.Builder builder =
        model
            .promptSupport()
            .orElseThrow(() ->
                new IllegalArgumentException("the model has no chat template; use /v1/completions"))
            .builder();
    for (ChatMessage message : messages) {
      switch (message.role()) {
        case "system" -> builder.addSystemMessage(message.content());
        case "user" -> builder.addUserMessage(message.content());
        case "assistant" -> builder.addAssistantMessage(message.content());
        default ->
            throw new IllegalArgumentException(
                "role '%s' must be system, user or assistant".formatted(message.role()));
      }
    }
    return withLoader(() -> builder.build().getPrompt());
  }

  /** The templates' library finds its classes with the thread's loader. */
  private static <T> T withLoader(Supplier<T> work) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(JlamaModel.class.getClassLoader());
    try {
      return work.get();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Override
  public byte[] piece(int token) {
    String text = tokenizer.vocabLookup.inverse().get((long) token);
    if (text == null || tokenizer.isSpecialToken(token)) {
      return new byte[0];
    }
    Matcher single = BYTE.matcher(text);
    if (tokenizer.byteFallback && single.matches()) {
      return new byte[] {(byte) Integer.parseInt(single.group(1), 16)};
    }
    boolean bytes = tokenizer.isLegacy() && !tokenizer.byteFallback;
    return bytes ? bytes(text) : text.replace('▁', ' ').getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the bytes that byte-level vocabularies write as one character each. */
  private static byte[] bytes(String text) {
    Map<Integer, Integer> values = BPETokenizer.alteredBytes.inverse();
    byte[] bytes = new byte[text.length()];
    int length = 0;
    for (int character : text.codePoints().toArray()) {
      bytes[length++] = values.getOrDefault(character, character).byteValue();
    }
    return Arrays.copyOf(bytes, length);
  }

  @Override
  public void close() {
    buffers.close();
    model.close();
  }
}
