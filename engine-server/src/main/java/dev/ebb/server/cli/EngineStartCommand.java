package dev.ebb.server.cli;

import dev.ebb.host.cli.options.AdminOptions;
import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.OptionOverrides;
import dev.ebb.host.cli.output.ServerLog;
import dev.ebb.host.cli.output.StopReport;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.server.AdminConfig.AdminChoice;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.units.ByteSize;
import dev.ebb.server.completion.EngineBackend;
import dev.ebb.server.completion.EngineServer;
import dev.ebb.server.completion.ServerOptions;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb engine start}: serves until it is stopped. */
@Command(
    name = "start",
    description = "Starts an OpenAI-compatible HTTP server for a model",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb engine start llama-3.2-1b.gguf",
      "  ebb engine start Llama-3.2-1B-Instruct",
      "  ebb engine start m.gguf --context 16384 --parallel 16 --eviction-policy predictive",
      "",
      "See docs/engine.md."
    })
final class EngineStartCommand implements Callable<Integer> {

  private static final String PREDICTIVE = "predictive";

  /** The limit of llama.cpp's build. */
  private static final int MOST_THREADS = 512;

  /** Token policies, which drop tokens inside a sequence; {@code sliding} is an alias. */
  private static final Set<String> TOKEN_POLICIES =
      Set.of("sliding", "sliding-window", "snapkv", "h2o", "pyramidkv", "adakv");

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "MODEL",
      description =
          "The model: a GGUF file, or a folder with config.json, tokenizer.json and safetensors")
  private Path model;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description =
          "The library that computes: llama (llama.cpp, GGUF files) or jlama (Jlama, folders); if"
              + " not given, the one for MODEL")
  private @Nullable String backend;

  @Mixin private ListenOptions listen;

  @Option(
      names = "--share-prefixes",
      description =
          "Tenants share cached prefixes, so that each can find out what prompts others have sent;"
              + " by default ebb.engine.share-prefixes")
  private boolean sharePrefixes;

  @Option(
      names = "--served-model-name",
      paramLabel = "NAME",
      description = "The name of the model for clients; the name of its file if not given")
  private @Nullable String name;

  @Option(
      names = {"-c", "--context"},
      paramLabel = "N",
      description =
          "KV cells of all requests together, one for each token; if not given, the model's"
              + " trained context, at most 4096")
  private @Nullable Integer cells;

  @Option(
      names = "--kv-pool-size",
      paramLabel = "SIZE",
      description = "The memory of the KV cells, such as '2 GiB', in place of --context")
  private @Nullable String poolSize;

  @Option(
      names = "--kv-block-size",
      paramLabel = "N",
      defaultValue = "16",
      description = "Tokens of a block, the unit of prefix reuse and eviction")
  private int blockTokens;

  @Option(
      names = "--eviction-policy",
      paramLabel = "NAME",
      description =
          "The block policy that evicts, or none to cache no prefixes; by default"
              + " ebb.eviction.policy")
  private @Nullable String policy;

  @Option(
      names = "--enable-lifetime-prediction",
      description = "Chooses the policy predictive, or lifetime if --eviction-policy names it")
  private boolean prediction;

  @Option(
      names = {"-np", "--parallel"},
      paramLabel = "N",
      defaultValue = "8",
      description = "The most requests that run at a time")
  private int parallel;

  @Option(
      names = {"-b", "--batch-size"},
      paramLabel = "N",
      defaultValue = "256",
      description = "The most tokens of one step")
  private int batch;

  @Option(
      names = "--max-queued",
      paramLabel = "N",
      defaultValue = "1024",
      description = "The most requests that wait; further ones get the status 429")
  private int maxQueued;

  @Option(
      names = "--queue-timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "The longest wait of a request; then it gets the status 503")
  private int queueTimeout;

  @Option(
      names = {"-t", "--threads"},
      paramLabel = "N",
      description = "Threads that compute; one for each core if not given")
  private @Nullable Integer threads;

  @Option(
      names = {"-fa", "--flash-attention"},
      description =
          "Skips the cells of other requests and cached prefixes when a token is computed. Faster"
              + " with many cells; sums in 16 bits")
  private boolean flashAttention;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      description =
          "What the engine computes: prefill (prompts for other engines), decode (answers), or"
              + " both; by default ebb.engine.role")
  private @Nullable String role;

  @Option(
      names = "--prefill",
      paramLabel = "URL",
      description =
          "The engine that computes long prompts for this one; by default ebb.engine.prefill")
  private @Nullable String prefill;

  @Mixin private AdminOptions admin;

  @Option(names = "--eviction-window", hidden = true)
  private @Nullable String window;

  @Option(names = "--memory-threshold", hidden = true)
  private @Nullable String memoryThreshold;

  @Mixin private ConfigOption config;

  @Override
  public Integer call() {
    ServerOptions options = options();
    HttpServer.limitProcess();
    EngineBackend chosen = Backends.choose(backend, model);
    try (ServerStop stop = new ServerStop();
        EngineServer server = EngineServer.start(chosen, options, stop::fail)) {
      stop.listen(spec.commandLine().getErr());
      announce(server, options);
      stop.await();
      if (stop.failed()) {
        StopReport.print(
            spec.commandLine().getErr(),
            "stopping, because the engine failed; its error is in the log above");
      }
      return stop.failed() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }
  }

  private void announce(EngineServer server, ServerOptions options) {
    PrintWriter out = spec.commandLine().getOut();
    InetSocketAddress address = server.address();
    out.println(
        "ebb: serving '%s' at %s://%s:%d/v1, context %d tokens, KV pool %s, policy %s"
            .formatted(
                options.name(),
                server.scheme(),
                address.getHostString(),
                address.getPort(),
                server.model().contextTokens(),
                ByteSize.format(server.ebb().stats().devices().getFirst().capacityBytes()),
                server.ebb().policies().policy()));
    InetSocketAddress admin = server.ebb().adminAddress();
    if (admin != null) {
      out.println(
          "ebb: dashboard, API and metrics at http://%s:%d/"
              .formatted(admin.getHostString(), admin.getPort()));
    }
    out.flush();
  }

  private ServerOptions options() {
    refusePolicies();
    between("--context", cells, 1, Integer.MAX_VALUE / 2);
    between("--kv-block-size", blockTokens, 1, 1_024);
    between("--parallel", parallel, 1, 1_024);
    between("--batch-size", batch, parallel, 8_192);
    between("--max-queued", maxQueued, 1, Integer.MAX_VALUE);
    between("--queue-timeout", queueTimeout, 1, 86_400);
    between("--threads", threads, 1, MOST_THREADS);
    if (cells != null && poolSize != null) {
      throw wrong("--context and --kv-pool-size are two ways to say the same; use one of them");
    }
    List<ConfigOverride> overrides = overrides();
    EbbConfig loaded = config.load(overrides).orThrow();
    ServerLog.use(loaded.log().format());
    if (loaded.admin().enabled() == AdminChoice.AUTO) {
      overrides.add(new ConfigOverride("ebb.admin.enabled", "true", "--admin-port"));
    }
    return new ServerOptions(
        model,
        name == null ? fileName() : name,
        cells,
        poolBytes(),
        blockTokens,
        threads,
        flashAttention,
        new SchedulerOptions(
            parallel,
            batch,
            maxQueued,
            Duration.ofSeconds(queueTimeout),
            false,
            SchedulerOptions.DEFAULTS.starvationAfter(),
            SchedulerOptions.DEFAULTS.tenantQuantum()),
        listen.http(loaded.engine()),
        loaded.engine().sharePrefixes(),
        loaded.scheduler().priorities(),
        config.file(),
        overrides);
  }

  private void refusePolicies() {
    String asked = policy == null ? "" : policy.split("\\(", 2)[0].strip();
    if (TOKEN_POLICIES.contains(asked)) {
      throw wrong(
          "--eviction-policy: '%s' drops tokens inside a sequence, but this server evicts whole blocks of cached prefixes; use a block policy such as lru, or 'ebb generate' for a token policy"
              .formatted(asked));
    }
    refuse("--eviction-window", window);
    refuse("--memory-threshold", memoryThreshold);
  }

  private void refuse(String option, @Nullable String value) {
    if (value != null) {
      throw wrong(
          "%s: '%s' belongs to token policies, which this server does not run; leave it out, and set the size of the cache with --context or --kv-pool-size"
              .formatted(option, value));
    }
  }

  private void between(String option, @Nullable Integer value, int least, int most) {
    if (value != null && (value < least || value > most)) {
      throw wrong("%s: '%d' must be %d to %d".formatted(option, value, least, most));
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private List<ConfigOverride> overrides() {
    String chosen = policy;
    String source = "--eviction-policy";
    if (prediction && policy == null) {
      chosen = PREDICTIVE;
      source = "--enable-lifetime-prediction";
    } else if (prediction && !Set.of(PREDICTIVE, "lifetime").contains(policy)) {
      throw wrong(
          "--eviction-policy: '%s' does not predict lifetimes; with --enable-lifetime-prediction use predictive or lifetime, or leave it out"
              .formatted(policy));
    }
    return admin
        .addTo(
            new OptionOverrides()
                .add(source, "ebb.eviction.policy", chosen)
                .add("--share-prefixes", "ebb.engine.share-prefixes", sharePrefixes)
                .add("--role", "ebb.engine.role", role)
                .add("--prefill", "ebb.engine.prefill", prefill))
        .given();
  }

  private String fileName() {
    Path last = model.getFileName();
    return last == null ? "model" : last.toString().replaceFirst("\\.gguf$", "");
  }

  private @Nullable Long poolBytes() {
    if (poolSize == null) {
      return null;
    }
    long bytes = ByteSize.parse(poolSize).orElse(0);
    if (bytes == 0) {
      throw wrong(
          "--kv-pool-size: '%s' must be a size with its unit, such as '2 GiB'".formatted(poolSize));
    }
    return bytes;
  }
}
