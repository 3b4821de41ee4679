package dev.ebb.host.cli.pool;

import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.pool.KnownModel;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.units.ByteSize;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ebb pool size}: computes the memory of a model's KV cache, or how much fits. */
@Command(
    name = "size",
    description = "Computes the memory of a model's KV cache, or how many tokens fit",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb pool size --model Llama-3-8B --tokens 8192",
      "  ebb pool size --model Qwen2.5-72B --dtype bf16 --pool-size \"80 GiB\" --json",
      "  ebb pool size --layers 80 --kv-heads 64 --head-dim 128"
    })
final class PoolSizeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private ModelGroup model;
  @Mixin private JsonOption json;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Computes the memory for this many tokens")
  private @Nullable Long tokens;

  @Option(
      names = "--pool-size",
      paramLabel = "SIZE",
      description = "How many blocks and tokens fit, for example \"8 GiB\"")
  private @Nullable String poolSize;

  @Override
  public Integer call() {
    // Every mistake here is in an option's value.
    spec.commandLine().getOut().print(Usage.of(spec, this::text));
    spec.commandLine().getOut().flush();
    return CommandLine.ExitCode.OK;
  }

  private String text() {
    KnownModel shape = model.shape();
    KvLayout layout = model.layout(shape);
    if (tokens != null && tokens < 0) {
      throw new UserError("--tokens '%d' must be 0 or more".formatted(tokens));
    }
    Long fits = poolSize == null ? null : poolBytes(poolSize) / layout.blockBytes();
    StringWriter text = new StringWriter();
    try {
      if (json.wanted()) {
        writeJson(text, shape, layout, fits);
      } else {
        writeText(text, shape, layout, fits);
      }
    } catch (ArithmeticException overflow) {
      throw new UserError(
          "--tokens '%d' would take 8 EiB or more; ask for fewer".formatted(tokens));
    }
    return text.toString();
  }

  private static long poolBytes(String text) {
    return ByteSize.parse(text)
        .orElseThrow(() ->
            new UserError(
                "--pool-size '%s' must be a whole number of bytes, less than 8 EiB, with its unit, such as \"8 GiB\" or \"500 MB\""
                    .formatted(text)));
  }

  private void writeText(StringWriter out, KnownModel shape, KvLayout layout, @Nullable Long fits) {
    line(
        out,
        "model",
        "%s: %d layers x %d KV heads x %d elements, %s"
            .formatted(
                shape.name(),
                layout.layers(),
                layout.kvHeads(),
                layout.headDim(),
                layout.dtype().name()));
    line(out, "token", bytes(layout.tokenBytes()));
    line(out, "block", bytes(layout.blockBytes()) + ", " + count(layout.blockTokens(), "token"));
    if (tokens != null) {
      line(
          out,
          count(tokens, "token"),
          bytes(layout.sequenceBytes(tokens)) + ", " + count(layout.blocksFor(tokens), "block"));
    }
    if (fits != null) {
      line(out, "pool", count(fits, "block") + ", " + count(tokensIn(layout, fits), "token"));
    }
  }

  private static long tokensIn(KvLayout layout, long blocks) {
    return Math.multiplyExact(blocks, (long) layout.blockTokens());
  }

  private static void line(StringWriter out, String label, String value) {
    out.append(String.format(Locale.ROOT, "%-14s %s%n", label, value));
  }

  private static String count(long number, String what) {
    return String.format(Locale.ROOT, "%,d %s%s", number, what, number == 1 ? "" : "s");
  }

  private static String bytes(long bytes) {
    return String.format(Locale.ROOT, "%s (%,d bytes)", ByteSize.format(bytes), bytes);
  }

  private void writeJson(StringWriter out, KnownModel shape, KvLayout layout, @Nullable Long fits) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("model", shape.name());
    document.put("layers", layout.layers());
    document.put("kvHeads", layout.kvHeads());
    document.put("headDim", layout.headDim());
    document.put("dtype", layout.dtype().name());
    document.put("blockTokens", layout.blockTokens());
    document.put("tokenBytes", layout.tokenBytes());
    document.put("blockBytes", layout.blockBytes());
    if (tokens != null) {
      document.put("tokens", tokens);
      document.put("tokensBlocks", layout.blocksFor(tokens));
      document.put("tokensBytes", layout.sequenceBytes(tokens));
    }
    if (fits != null) {
      document.put("poolBlocks", fits);
      document.put("poolTokens", tokensIn(layout, fits));
    }
    out.append(Json.text(document)).append(System.lineSeparator());
  }
}
