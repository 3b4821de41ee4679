package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.ebb.host.errors.UserError;
import dev.ebb.server.model.ChatMessage;
import dev.ebb.server.model.ServedModel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A model's weights and vocabulary, read from a GGUF file. Safe for use by several threads. */
public final class LlamaModel implements ServedModel, AutoCloseable {

  /** The build of llama.cpp. */
  public static final String BUILD = "b4916";

  private static final int NO_VOCABULARY = 0;
  private static final int DESCRIPTION_BYTES = 256;

  private static final Pattern LOADING = Pattern.compile("^(\\w+: )?(error loading model[^:]*: )*");

  private static final Pattern UNKNOWN = Pattern.compile("unknown model architecture: '([^']*)'");

  /** Architectures of later builds with attention and recurrent layers. */
  private static final Set<String> HYBRID =
      Set.of(
          "falcon-h1",
          "granitehybrid",
          "jamba",
          "kimi-linear",
          "lfm2",
          "lfm2moe",
          "nemotron_h",
          "nemotron_h_moe",
          "plamo2",
          "qwen35",
          "qwen35moe",
          "qwen3next");

  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

  private final Native library;
  private final MemorySegment model;
  private final MemorySegment vocab;
  private final ModelShape shape;
  private final boolean recurrent;
  private int contexts;
  private boolean closed;

  private LlamaModel(Native library, MemorySegment model) {
    this.library = library;
    this.model = model;
    this.vocab = library.llamaModelGetVocab(model);
    this.shape = readShape();
    this.recurrent = library.llamaModelIsRecurrent(model);
  }

  /**
   * Reads a model into memory (mapped where the system can).
   *
   * @param file in the GGUF format, of a decoder-only transformer that llama.cpp supports
   * @throws UserError if it cannot be read, or the machine cannot run llama.cpp
   */
  public static LlamaModel open(Path file) {
    LlamaModel opened = openAny(file);
    if (opened.recurrent()) {
      opened.close();
      throw new UserError(
          "the model '%s' has a recurrent state and no KV cells from which tokens can be dropped; serve it with 'ebb engine start', or use a decoder-only transformer such as Llama, Mistral or Qwen2"
              .formatted(file));
    }
    return opened;
  }

  /** Reads a transformer, as {@link #open} does, or a recurrent model. */
  public static LlamaModel openAny(Path file) {
    GgufHeader.check(file);
    Native library = Llama.library();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment params = library.llamaModelDefaultParams(arena);
      Llama.complaint();
      MemorySegment model =
          library.llamaModelLoadFromFile(
              arena.allocateFrom(file.toAbsolutePath().toString()), params);
      if (model.equals(MemorySegment.NULL)) {
        throw new UserError(
            "the model '%s' cannot be loaded: %s"
                .formatted(file, explained(LOADING.matcher(Llama.complaint()).replaceFirst(""))));
      }
      return checked(new LlamaModel(library, model), file);
    }
  }

  private static String explained(String complaint) {
    Matcher unknown = UNKNOWN.matcher(complaint);
    if (!unknown.find()) {
      return complaint;
    }
    return HYBRID.contains(unknown.group(1))
        ? "'%s' has attention and recurrent layers, and the bundled llama.cpp %s computes no such model; use a transformer, or a recurrent model such as Mamba"
            .formatted(unknown.group(1), BUILD)
        : "%s; the bundled llama.cpp is %s, and reads older architectures only"
            .formatted(complaint, BUILD);
  }

  private static LlamaModel checked(LlamaModel opened, Path file) {
    if (opened.library.llamaModelHasEncoder(opened.model)) {
      opened.close();
      throw new UserError(
          "the model '%s' has an encoder; use a decoder-only model such as Llama, Mistral or Qwen2"
              .formatted(file));
    }
    if (opened.library.llamaVocabType(opened.vocab) == NO_VOCABULARY) {
      opened.close();
      throw new UserError(
          "the model '%s' has no vocabulary, so text cannot be tokenized; use a model with one"
              .formatted(file));
    }
    return opened;
  }

  private ModelShape readShape() {
    int heads = library.llamaModelNHead(model);
    String architecture = meta("general.architecture");
    String keyLength = meta(architecture + ".attention.key_length");
    return new ModelShape(
        architecture,
        library.llamaModelNLayer(model),
        heads,
        library.llamaModelNHeadKv(model),
        NUMBER.matcher(keyLength).matches()
            ? Integer.parseInt(keyLength)
            : library.llamaModelNEmbd(model) / Math.max(1, heads),
        library.llamaModelNCtxTrain(model),
        library.llamaVocabNTokens(vocab));
  }

  /**
   * Returns whether the model keeps one state for all tokens of a sequence, such as Mamba, in place
   * of a KV cell for each.
   */
  public boolean recurrent() {
    return recurrent;
  }

  public ModelShape shape() {
    return shape;
  }

  /** Returns a description with size and quantisation, such as {@code llama 8B Q4_K - Medium}. */
  public synchronized String description() {
    requireOpen();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(DESCRIPTION_BYTES);
      library.llamaModelDesc(model, text, DESCRIPTION_BYTES);
      return text.getString(0);
    }
  }

  public synchronized long bytes() {
    requireOpen();
    return library.llamaModelSize(model);
  }

  /**
   * Tokenizes a text, with the leading tokens that the model wants.
   *
   * @param special whether names of special tokens in the text are parsed as such, as a chat
   *     template needs it; false for untrusted text
   */
  @Override
  public synchronized int[] tokenize(String text, boolean special) {
    requireOpen();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocateFrom(JAVA_BYTE, bytes);
      int count =
          -library.llamaTokenize(vocab, from, bytes.length, MemorySegment.NULL, 0, true, special);
      if (count <= 0) {
        return new int[0];
      }
      MemorySegment to = arena.allocate(JAVA_INT, count);
      int written = library.llamaTokenize(vocab, from, bytes.length, to, count, true, special);
      return to.asSlice(0, (long) written * Integer.BYTES).toArray(JAVA_INT);
    }
  }

  /** Returns the chat template in the model's file; empty if there is none. */
  @Override
  public synchronized String chatTemplate() {
    requireOpen();
    return Llama.text(library.llamaModelChatTemplate(model, MemorySegment.NULL));
  }

  /**
   * Returns the prompt of a conversation, by the chat template in the model's file. It is tokenized
   * with special tokens.
   *
   * @param messages at least one
   * @throws UserError if the file has no template, or llama.cpp does not know it
   */
  @Override
  public synchronized String chatPrompt(List<ChatMessage> messages) {
    requireOpen();
    MemorySegment template = library.llamaModelChatTemplate(model, MemorySegment.NULL);
    if (template.equals(MemorySegment.NULL)) {
      throw new UserError(
          "the model has no chat template: its file has no tokenizer.chat_template; use"
              + " /v1/completions with a complete prompt");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chat = arena.allocate(Structs.CHAT_MESSAGE, messages.size());
      long size = Structs.CHAT_MESSAGE.byteSize();
      int characters = 0;
      for (int i = 0; i < messages.size(); i++) {
        ChatMessage message = messages.get(i);
        MemorySegment struct = chat.asSlice(i * size, size);
        MemorySegment content = arena.allocateFrom(message.content());
        Structs.set(Structs.CHAT_MESSAGE, struct, "role", arena.allocateFrom(message.role()));
        Structs.set(Structs.CHAT_MESSAGE, struct, "content", content);
        characters = Math.addExact(characters, Math.toIntExact(content.byteSize()));
      }
      int room = Math.addExact(2 * DESCRIPTION_BYTES, Math.multiplyExact(2, characters));
      MemorySegment out = arena.allocate(room);
      int written = applied(template, chat, messages.size(), out);
      if (written > room) {
        out = arena.allocate(written);
        written = applied(template, chat, messages.size(), out);
      }
      return new String(out.asSlice(0, written).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }

  private int applied(MemorySegment template, MemorySegment chat, int messages, MemorySegment out) {
    int written =
        library.llamaChatApplyTemplate(
            template, chat, messages, true, out, Math.toIntExact(out.byteSize()));
    if (written < 0) {
      String text = Llama.text(template);
      throw new UserError(
          "llama.cpp does not know the model's chat template '%s'; use /v1/completions with a complete prompt"
              .formatted(text.substring(0, Math.min(80, text.length()))));
    }
    return written;
  }

  /**
   * Returns the bytes of a token; a character may be spread over several tokens.
   *
   * @return UTF-8, perhaps a part of a character; empty for special tokens
   * @throws IndexOutOfBoundsException if there is no such token
   */
  @Override
  public synchronized byte[] piece(int token) {
    requireOpen();
    Objects.checkIndex(token, shape.vocabulary());
    try (Arena arena = Arena.ofConfined()) {
      int size = DESCRIPTION_BYTES;
      MemorySegment out = arena.allocate(size);
      int written = library.llamaTokenToPiece(vocab, token, out, size, 0, false);
      if (written < 0) {
        size = -written;
        out = arena.allocate(size);
        written = library.llamaTokenToPiece(vocab, token, out, size, 0, false);
      }
      return out.asSlice(0, written).toArray(JAVA_BYTE);
    }
  }

  @Override
  public synchronized boolean endsGeneration(int token) {
    requireOpen();
    Objects.checkIndex(token, shape.vocabulary());
    return library.llamaVocabIsEog(vocab, token);
  }

  private synchronized String meta(String key) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(DESCRIPTION_BYTES);
      int length =
          library.llamaModelMetaValStr(
              model, arena.allocateFrom(key), text, (long) DESCRIPTION_BYTES);
      return length < 0 ? "" : text.getString(0);
    }
  }

  @Override
  public int vocabulary() {
    return shape.vocabulary();
  }

  synchronized MemorySegment nativeVocabulary() {
    requireOpen();
    return vocab;
  }

  synchronized MemorySegment acquire() {
    requireOpen();
    contexts++;
    return model;
  }

  synchronized void release() {
    contexts--;
  }

  Native library() {
    return library;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the model is closed");
    }
  }

  /**
   * Frees the weights. Closing twice does nothing.
   *
   * @throws IllegalStateException if one of its contexts is open
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (contexts > 0) {
      throw new IllegalStateException(contexts + " contexts of the model are open");
    }
    closed = true;
    library.llamaModelFree(model);
  }
}
