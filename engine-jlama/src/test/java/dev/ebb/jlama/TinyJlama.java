package dev.ebb.jlama;

import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.model.ModelSupport;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.KvBufferCache;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.server.demo.RandomModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A small model with random weights: in Ebb's blocks, and as Jlama computes it by itself. */
final class TinyJlama implements AutoCloseable {

  static final int BLOCK_TOKENS = 16;
  static final Namespace NAMESPACE = Namespace.of("tiny");
  private static final RandomModel.Shape SHAPE = new RandomModel.Shape(3, 4, 2, 32, 256, 1_024);

  private static final String TEMPLATE =
      "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + ' ' }}{%"
          + " endfor %}";

  final Path folder;
  final JlamaModel model;
  final AbstractModel unmodified;
  private final Path home;

  TinyJlama(Path temp) throws IOException {
    folder = temp.resolve("model");
    new RandomModel("tiny", SHAPE).withChatTemplate(TEMPLATE).writeFolder(folder);
    model = JlamaModel.open(folder);
    unmodified = ModelSupport.loadModel(folder.toFile(), DType.F32, DType.I8);
    home = temp;
    Path plugins = Files.createDirectory(home.resolve("plugins"));
    Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
    PluginJarBuilder.plugin("orders")
        .policy("fifo")
        .rankedPolicy("lru", "entry.lastAccessTick()")
        .writeTo(plugins, "orders.jar");
  }

  /** Starts an Ebb with so many blocks. */
  Ebb start(int blocks) {
    long bytes = (long) blocks * model.layout(BLOCK_TOKENS).blockBytes();
    return Ebb.start(
        EbbOptions.of(model.layout(BLOCK_TOKENS), home)
            .withSettings(
                "ebb { pool { device = host, size = %d B }, eviction.policy = lru }"
                    .formatted(bytes)));
  }

  /** Generates greedily in Ebb's blocks. */
  Answer generate(Ebb ebb, Namespace namespace, int[] prompt, int count) {
    float[] logits = new float[model.vocabulary()];
    List<Integer> answer = new ArrayList<>();
    try (Sequence sequence = ebb.open(SequenceRequest.of(namespace, prompt))) {
      int matched = Math.min(sequence.matchedTokens(), prompt.length - 1);
      JlamaSequence computed = model.sequence(sequence, BLOCK_TOKENS);
      int next =
          computed.compute(matched, Arrays.copyOfRange(prompt, matched, prompt.length), logits);
      answer.add(next);
      for (int position = prompt.length; answer.size() < count; position++) {
        sequence.append(next);
        next = computed.compute(position, new int[] {next}, logits);
        answer.add(next);
      }
      sequence.finish();
      return new Answer(answer, matched, logits);
    }
  }

  /** Generates greedily with the classes of Jlama alone. */
  Answer reference(int[] prompt, int count) {
    List<Integer> answer = new ArrayList<>();
    try (KvBufferCache buffers = new KvBufferCache(unmodified);
        KvBufferCache.KvBuffer buffer = buffers.getEphemeralKvBuffer();
        AbstractTensor<?, ?> logits = unmodified.makeDenseTensor(model.vocabulary())) {
      AbstractTensor<?, ?> output = unmodified.batchForward(prompt, 0, buffer);
      int next = unmodified.sample(output.slice(output.shape().first() - 1), 0, 0, logits);
      output.close();
      answer.add(next);
      for (int position = prompt.length; answer.size() < count; position++) {
        output = unmodified.batchForward(new int[] {next}, position, buffer);
        next = unmodified.sample(output.slice(0), 0, 0, logits);
        output.close();
        answer.add(next);
      }
      float[] last = new float[model.vocabulary()];
      Arrays.setAll(new Float[last.length], i -> last[i] = logits.get(0, i));
      return new Answer(answer, 0, last);
    }
  }

  /** Returns prompts of which several begin the same. */
  static List<int[]> prompts(int count, long seed) {
    Random random = new Random(seed);
    int[][] beginnings = new int[count / 10 + 1][];
    Arrays.setAll(beginnings, i -> tokens(random, 20 + random.nextInt(80)));
    List<int[]> prompts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int[] beginning = beginnings[random.nextInt(beginnings.length)];
      int[] rest = tokens(random, 1 + random.nextInt(60));
      int[] prompt = Arrays.copyOf(beginning, beginning.length + rest.length);
      System.arraycopy(rest, 0, prompt, beginning.length, rest.length);
      prompts.add(prompt);
    }
    return prompts;
  }

  static int[] tokens(Random random, int count) {
    return random.ints(count, 3, RandomModel.vocabulary().size()).toArray();
  }

  @Override
  public void close() {
    model.close();
    unmodified.close();
  }

  /** An answer, and the logits of its last token. */
  record Answer(List<Integer> tokens, int cached, float[] logits) {}
}
