package dev.ebb.llama.generate;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.tokens.pruning.TokenPolicyException;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.wiring.Host;
import dev.ebb.llama.binding.ContextOptions;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.binding.ModelShape;
import dev.ebb.llama.binding.Sampler;
import dev.ebb.llama.signals.CellSignals;
import dev.ebb.server.model.TokenText;
import dev.ebb.spi.TokenPolicy;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ebb generate}: generates a model's answer, with a token policy over its KV cells. */
@Command(
    name = "generate",
    description = "Answers a prompt with llama.cpp and a token policy that bounds its KV cells",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb generate --model llama-3.2-1b.gguf --prompt \"Once upon a time\"",
      "  ebb generate --model m.gguf --prompt-file book.txt --eviction-policy sliding-window"
          + " --eviction-window 1024",
      "  ebb generate --model m.gguf --prompt-file - --context 8192 --eviction-policy h2o"
          + " --eviction-window 512 --json",
      "",
      "The answer goes to standard output, its statistics to standard error. See docs/generate.md."
    })
final class GenerateCommand implements Callable<Integer> {

  private static final int USUAL_BATCH = 512;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-m", "--model"},
      paramLabel = "FILE",
      required = true,
      description = "The model, a GGUF file")
  private Path file;

  @ArgGroup(multiplicity = "1")
  private PromptGroup prompt;

  @Option(
      names = {"-n", "--max-tokens"},
      paramLabel = "N",
      defaultValue = "128",
      description = "The maximum length of the answer, in tokens")
  private int maxTokens;

  @Option(
      names = {"-c", "--context"},
      paramLabel = "N",
      description =
          "KV cells, one for each kept token; if not given, the model's trained context, at"
              + " most 4096")
  private @Nullable Integer cells;

  @Option(
      names = {"-t", "--threads"},
      paramLabel = "N",
      description = "Threads that compute; one for each core if not given")
  private @Nullable Integer threads;

  @Option(
      names = "--special",
      description =
          "Reads names of special tokens in the prompt, such as those of a chat template, as these"
              + " tokens")
  private boolean special;

  @Mixin private SamplingGroup sampling;
  @Mixin private EvictionGroup eviction;
  @Mixin private ConfigOption config;
  @Mixin private JsonOption json;

  /** The source of the prompt: one of two options. */
  private static final class PromptGroup {

    @Option(names = "--prompt", paramLabel = "TEXT", description = "The prompt")
    private @Nullable String text;

    @Option(
        names = "--prompt-file",
        paramLabel = "FILE",
        description = "A file with the prompt, in UTF-8; '-' is standard input")
    private @Nullable String file;

    String read() {
      if (text != null) {
        return text;
      }
      try {
        return "-".equals(file)
            ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
            : Files.readString(Path.of(String.valueOf(file)));
      } catch (IOException failed) {
        throw new UserError(
            "--prompt-file: '%s' cannot be read as UTF-8 text: %s".formatted(file, failed));
      }
    }
  }

  /** The options of token sampling. */
  private static final class SamplingGroup {

    @Option(
        names = "--temperature",
        paramLabel = "T",
        defaultValue = "0",
        description = "0 takes the most likely token; above it, tokens are drawn at random")
    private double temperature;

    @Option(
        names = "--top-k",
        paramLabel = "K",
        defaultValue = "40",
        description = "Draws from this many most likely tokens; 0 for all")
    private int topK;

    @Option(
        names = "--seed",
        paramLabel = "N",
        defaultValue = "1",
        description = "Seed of the sampling, and of the policy")
    private int seed;

    void check() {
      if (!(temperature >= 0 && temperature <= Float.MAX_VALUE)) {
        throw new UserError("--temperature: '%s' must be 0 or more".formatted(temperature));
      } else if (topK < 0) {
        throw new UserError("--top-k: '%d' must be 0 or more".formatted(topK));
      }
    }

    Sampler open() {
      return temperature < Float.MIN_NORMAL
          ? Sampler.greedy()
          : Sampler.random((float) temperature, topK, seed);
    }
  }

  @Override
  public Integer call() {
    usage(() -> check());
    LoadedConfig loaded = config.load(usage(eviction::overrides));
    String text = prompt.read();
    try (Interruption interruption = new Interruption();
        Host host = Host.open(loaded)) {
      host.verify();
      TokensConfig tokens = host.config().tokens();
      PolicySpec policy = usage(() -> eviction.policy(tokens));
      if (policy.name().equals(NoEviction.NAME)) {
        answer(interruption, text, policy, tokens, null);
        return CommandLine.ExitCode.OK;
      }
      EvictionGroup.requireOneSet(tokens, policy.name());
      try (StrategyInstance<TokenPolicy> made =
          host.policies().createTokenPolicy(policy, partition())) {
        answer(interruption, text, policy, tokens, made.value());
      } catch (TokenPolicyException fault) {
        throw new UserError(String.valueOf(fault.getMessage()));
      }
      return CommandLine.ExitCode.OK;
    }
  }

  private PolicyPartition partition() {
    return new PolicyPartition("generate", 1, System::nanoTime, sampling.seed);
  }

  private boolean check() {
    atLeastOne("--max-tokens", maxTokens);
    atLeastOne("--context", cells);
    if (threads != null && (threads < 1 || threads > ContextOptions.MOST_THREADS)) {
      throw new UserError(
          "--threads: '%d' must be 1 to %d".formatted(threads, ContextOptions.MOST_THREADS));
    }
    sampling.check();
    return true;
  }

  private static void atLeastOne(String option, @Nullable Integer value) {
    if (value != null && value < 1) {
      throw new UserError("%s: '%d' must be at least 1".formatted(option, value));
    }
  }

  /** Reports wrong options as picocli does, with the same exit code. */
  private <T> T usage(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (UserError wrong) {
      throw new ParameterException(spec.commandLine(), wrong.getMessage());
    }
  }

  private void answer(
      Interruption interruption,
      String text,
      PolicySpec spec,
      TokensConfig config,
      @Nullable TokenPolicy policy) {
    try (LlamaModel model = LlamaModel.open(file)) {
      int[] tokens = model.tokenize(text, special);
      if (tokens.length == 0) {
        throw new UserError("the prompt is empty; give some text with --prompt or --prompt-file");
      }
      ModelShape shape = model.shape();
      int context = cells == null ? shape.usualContext() : cells;
      int batch = Math.min(USUAL_BATCH, context);
      requireMemory(shape, context, batch);
      CellSignals signals = policy == null ? null : CellSignals.of(shape, context, policy);
      ContextOptions options =
          new ContextOptions(context, batch, 1, ContextOptions.threads(threads), signals);
      try (LlamaContext opened = new LlamaContext(model, options);
          HostDevice machine = new HostDevice();
          Sampler sampler = sampling.open()) {
        interruption.ends(opened);
        Pruner pruner =
            policy == null
                ? Pruner.NONE
                : new CellPruner(
                    opened, shape, config, spec.name(), policy, signals, machine.memory());
        run(model, new Generator(model, opened, sampler, pruner, batch), tokens, spec.display());
      }
    }
  }

  /** Refuses too large a context: llama.cpp would take memory until the system ends the process. */
  private static void requireMemory(ModelShape shape, int context, int batch) {
    try (HostDevice machine = new HostDevice()) {
      long needed = shape.cellBytes() * context + shape.attentionBytes(batch, context);
      if (needed > machine.memory().availableBytes()) {
        throw new UserError(
            "--context: '%d' cells take %s, but only %s are available; use fewer"
                .formatted(context, ByteSize.format(needed), machine.memory().describe()));
      }
    }
  }

  private void run(LlamaModel model, Generator generator, int[] tokens, String policy) {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    TokenText text = new TokenText();
    StringBuilder whole = new StringBuilder();
    GenerationReport report =
        generator.run(
            tokens,
            maxTokens,
            token -> {
              String piece = text.add(model.piece(token));
              if (json.wanted()) {
                whole.append(piece);
                return true;
              }
              out.print(piece);
              out.flush();
              return !out.checkError();
            });
    if (json.wanted()) {
      whole.append(text.end());
      out.println(report.json(model.description(), policy, whole.toString()));
    } else {
      out.println(text.end());
      report.text(err, policy);
    }
  }
}
