package dev.ebb.host.cli.bench;

import dev.ebb.host.cli.options.TlsOptions;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.trace.HtmlOption;
import dev.ebb.host.cli.trace.TraceNames;
import dev.ebb.host.enginebench.EngineLoad;
import dev.ebb.host.enginebench.EngineTarget;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@code ebb bench engine}. */
final class EngineBenchGroup {

  private static final int SYNTHETIC_REQUESTS = 200;
  private static final int SYNTHETIC_BLOCK_TOKENS = 16;

  /** Requests that are read for one to send: others may have prompts that are too long. */
  private static final long READ = 100;

  private static final int CLIENTS = 8;
  private static final int MOST_CLIENTS = 10_000;
  private static final int MOST_USERS = 1_000_000;
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);
  private static final String VARIABLE = "env:";
  private static final String FILE = "file:";

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8000",
      description = "The address of the server")
  private String url;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "The model; by default the first that the server lists")
  private @Nullable String model;

  @Option(
      names = "--api",
      paramLabel = "API",
      defaultValue = "completions",
      description =
          "completions (a prompt is one text) or chat (a turn has the real answers of the turns"
              + " before it)")
  private EngineTarget.Api api;

  @Option(
      names = "--api-key",
      paramLabel = "SOURCE",
      description =
          "Where the API key is: env:NAME (an environment variable) or file:PATH. It is sent to the"
              + " server and never printed")
  private @Nullable String apiKey;

  @Mixin private TlsOptions tls;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "A recorded trace, as ebb replay reads it; '-' is standard input")
  private @Nullable String trace;

  @Option(
      names = "--synthetic",
      paramLabel = "SHAPE",
      description = "A synthetic trace: chat, agent, fork, rag or zipf; chat without --trace")
  private SyntheticTrace.@Nullable Shape shape;

  @Option(
      names = "--users",
      paramLabel = "N",
      defaultValue = "32",
      description = "Synthetic chat, agent: conversations at the same time")
  private int users;

  @Option(
      names = "--tenants",
      paramLabel = "N",
      defaultValue = "8",
      description = "Synthetic chat, agent, fork, rag: tenants, each with its own system prompt")
  private int tenants;

  @Option(
      names = "--turns",
      paramLabel = "N",
      defaultValue = "5",
      description = "Synthetic chat, agent: average length of a conversation")
  private double turns;

  @Option(
      names = "--requests",
      paramLabel = "N",
      description =
          "Requests to send; all of a recorded trace, 200 of a synthetic one if not given")
  private @Nullable Long requests;

  @Option(
      names = "--max-input-tokens",
      paramLabel = "N",
      description =
          "Leaves out requests with longer prompts, for servers with a short context; none if not"
              + " given")
  private @Nullable Long maxInputTokens;

  @Option(
      names = "--max-tokens",
      paramLabel = "N",
      defaultValue = "128",
      description = "Most tokens of an answer; fewer if the trace says so")
  private int maxTokens;

  @Option(
      names = "--ignore-eos",
      description =
          "Asks the server for answers of exactly that length (vLLM, SGLang and llama.cpp can)")
  private boolean ignoreEos;

  @Option(
      names = "--block-tokens",
      paramLabel = "N",
      description = "Tokens of a block; inferred from a recorded trace, else 16, if not given")
  private @Nullable Integer blockTokens;

  @Option(
      names = {"-c", "--clients"},
      paramLabel = "N",
      description =
          "Clients, each with one request at a time; 8 if neither --rate nor --speed is given")
  private @Nullable Integer clients;

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = "Sends R requests a second, at random times, instead of --clients")
  private @Nullable Double rate;

  @Option(
      names = "--speed",
      paramLabel = "N",
      description = "Sends requests when the trace says, N times faster, instead of --clients")
  private @Nullable Double speed;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "2m",
      description = "How long to wait for each part of an answer")
  private String timeout;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Decides texts, arrivals and the synthetic trace. Another one avoids hits on an earlier"
              + " run")
  private long seed;

  @Mixin private HtmlOption html;

  @Option(
      names = "--json",
      showDefaultValue = Help.Visibility.NEVER,
      description = "Writes JSON to standard output")
  boolean json;

  EngineTarget target() {
    URI address = EngineTarget.address(url);
    boolean encrypted = "https".equalsIgnoreCase(address.getScheme());
    if (!encrypted && tls.given()) {
      throw new UserError(
          "--cacert, --cert and --key are for TLS, but '%s' is not https".formatted(url));
    }
    SSLContext context = encrypted ? tls.files().client() : null;
    Duration wait = Usage.time("--timeout", timeout, Duration.ofMillis(1), LONGEST_TIMEOUT);
    return new EngineTarget(address, api, model, key(), wait, context);
  }

  private @Nullable String key() {
    String source = apiKey;
    if (source == null) {
      return null;
    }
    if (source.startsWith(VARIABLE)) {
      String name = source.substring(VARIABLE.length());
      String value = System.getenv(name);
      if (value == null || value.isBlank()) {
        throw new UserError(
            "--api-key: the environment variable '%s' is not set; set it to the API key"
                .formatted(name));
      }
      return value.strip();
    }
    if (source.startsWith(FILE)) {
      return keyIn(source.substring(FILE.length()));
    }
    throw new UserError(
        "--api-key must be env:NAME or file:PATH; a key on the command line would be visible to"
            + " other users");
  }

  private static String keyIn(String file) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException | InvalidPathException unreadable) {
      throw new UserError(
          "--api-key: the file '%s' cannot be read; name one with the API key".formatted(file));
    }
  }

  EngineLoad load() {
    boolean recorded = trace != null;
    return new EngineLoad(
        pace(),
        Usage.atLeastOne("--requests", requests, recorded ? Long.MAX_VALUE : SYNTHETIC_REQUESTS),
        (int) Usage.between("--max-tokens", maxTokens, 1, Integer.MAX_VALUE),
        ignoreEos,
        Usage.atLeastOne("--max-input-tokens", maxInputTokens, Long.MAX_VALUE),
        blockTokens == null
            ? (recorded ? 0 : SYNTHETIC_BLOCK_TOKENS)
            : (int) Usage.between("--block-tokens", blockTokens, 1, 1 << 20),
        seed);
  }

  private EngineLoad.Pace pace() {
    if ((clients == null ? 0 : 1) + (rate == null ? 0 : 1) + (speed == null ? 0 : 1) > 1) {
      throw new UserError("--clients, --rate and --speed exclude each other; give one of them");
    }
    Double perSecond = rate;
    if (perSecond != null) {
      return new EngineLoad.Rate(Usage.positive("--rate", perSecond));
    }
    Double factor = speed;
    if (factor != null) {
      return new EngineLoad.Speed(Usage.positive("--speed", factor));
    }
    return new EngineLoad.Clients(
        clients == null ? CLIENTS : (int) Usage.between("--clients", clients, 1, MOST_CLIENTS));
  }

  String traceName() {
    String file = trace;
    return file == null
        ? "synthetic " + synthetic()
        : TraceNames.of(List.of(file)).values().iterator().next();
  }

  private SyntheticTrace.Shape synthetic() {
    return shape == null ? SyntheticTrace.Shape.CHAT : shape;
  }

  /** Opens the trace; the options of {@link #load} were checked before. */
  TraceCursor open() {
    String file = trace;
    return file == null ? made() : TraceReader.open(file, OnError.STOP);
  }

  private SyntheticTrace made() {
    EngineLoad load = load();
    return new SyntheticTrace(
        synthetic(),
        new SyntheticOptions()
            .requests(Math.min(load.requests(), Long.MAX_VALUE / READ) * READ)
            .seed(seed)
            .blockTokens(load.blockTokens())
            .users((int) Usage.between("--users", users, 1, MOST_USERS))
            .tenants((int) Usage.between("--tenants", tenants, 1, MOST_USERS))
            .turns(Usage.atLeast("--turns", turns, 1)));
  }

  /**
   * Returns the file of the page, null if none is wanted.
   *
   * @throws UserError if an option of the trace or the page is wrong
   */
  @Nullable OutputFile page() {
    String file = trace;
    if (file == null) {
      made().close();
      return html.page(List.of());
    }
    if (shape != null) {
      throw new UserError("--synthetic replaces --trace '%s'; use one of them".formatted(file));
    }
    return html.page(List.of(file));
  }
}
