package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.cli.trace.HtmlOption;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.tokeneval.RecallEval;
import dev.ebb.host.tokeneval.RecallHtml;
import dev.ebb.host.tokeneval.RecallJson;
import dev.ebb.host.tokeneval.RecallOptions;
import dev.ebb.host.tokeneval.RecallResult;
import dev.ebb.host.tokens.TokenAlias;
import dev.ebb.host.wiring.Host;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ebb tokens eval}: measures how much each token policy forgets. */
@Command(
    name = "eval",
    description =
        "Lets every token policy in the plugin folder drop a part of prompts that contain facts,"
            + " and measures how many facts are still known. A small hand-made model answers, so"
            + " that it takes seconds; it distinguishes policies, but does not predict how well a"
            + " trained model will answer",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb tokens eval",
      "  ebb tokens eval --policies \"snapkv,snapkv(kernel=1),adakv\" --ratios 5%%,10%%,20%%",
      "  ebb tokens eval --policies \"sliding-window(window=1)\" --seeds 100",
      "  ebb tokens eval --jar target/my-tokens-1.0.0.jar --policies my-tokens,snapkv",
      "  ebb tokens eval --budget ada --policies snapkv,keydiff --html recall.html",
      "",
      "See docs/token-eval.md."
    })
final class TokensEvalCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private ConfigOption config;
  @Mixin private JsonOption json;
  @Mixin private JarOption jar;

  @Option(
      names = {"-p", "--policies"},
      paramLabel = "LIST",
      description =
          "Token policies to compare, each with settings in parentheses if wanted; all that are"
              + " installed if not given")
  private @Nullable String policies;

  @Option(
      names = "--budget",
      paramLabel = "RULE",
      defaultValue = "uniform",
      description =
          "How many tokens stay in each layer and head: uniform, pyramid, ada, or a plugin's budget")
  private String budget;

  @Option(
      names = {"-r", "--ratios"},
      paramLabel = "LIST",
      defaultValue = "5%,10%,20%,35%,50%,75%",
      description = "Shares of the prompt's tokens to keep")
  private String ratios;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "20",
      description = "Number of prompts of each kind")
  private int seeds;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "512",
      description = "Length of a prompt")
  private int tokens;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the model and the prompts")
  private long seed;

  @Mixin private HtmlOption html;

  @Override
  public Integer call() {
    List<Double> shares = Usage.of(spec, this::shares);
    OutputFile page = Usage.of(spec, () -> html.page(List.of()));
    try (JarOption.Opened opened =
        jar.open(config.load(), StrategyKind.TOKEN_POLICY, StrategyKind.TOKEN_BUDGET)) {
      Host host = opened.host();
      host.verify();
      RecallOptions options =
          Usage.of(
              spec, () -> new RecallOptions(specs(opened), budget, shares, seeds, tokens, seed));
      List<RecallResult> results = run(host, options);
      json.print(() -> RecallJson.write(options, results), () -> RecallLines.of(options, results));
      if (page != null) {
        page.write(RecallHtml.write(options, results));
        spec.commandLine().getErr().println("ebb: wrote " + page);
      }
      return results.stream().anyMatch(result -> result.failure() != null)
          ? CommandLine.ExitCode.SOFTWARE
          : CommandLine.ExitCode.OK;
    }
  }

  private List<RecallResult> run(Host host, RecallOptions options) {
    try (StatusLine line = StatusLine.onStandardError()) {
      return Usage.of(
          spec,
          () ->
              new RecallEval(
                      host.policies(),
                      options,
                      (done, total) ->
                          line.update(() -> "asking, %d of %d prompts".formatted(done, total)))
                  .run());
    }
  }

  private List<PolicySpec> specs(JarOption.Opened opened) {
    if (policies != null) {
      List<PolicySpec> given = PolicySpec.parseList(policies, "--policies");
      opened.requireNamed(
          StrategyKind.TOKEN_POLICY,
          given.stream().map(policy -> TokenAlias.policyOf(policy.name())).toList());
      return given;
    }
    Host host = opened.host();
    List<String> installed = host.policies().tokenPolicyNames();
    return Stream.concat(
            installed.stream(),
            TokenAlias.names().stream()
                .filter(name -> installed.contains(TokenAlias.resolve(name, budget).policy())))
        .map(PolicySpec::of)
        .filter(policy -> RecallEval.fits(host.policies(), policy, budget))
        .toList();
  }

  private List<Double> shares() {
    return Arrays.stream(ratios.split(",", -1)).map(TokensEvalCommand::share).toList();
  }

  private static double share(String text) {
    String number = text.strip();
    boolean percent = number.endsWith("%");
    try {
      double value =
          Double.parseDouble(percent ? number.substring(0, number.length() - 1) : number);
      return percent ? value / 100 : value;
    } catch (NumberFormatException notANumber) {
      throw new UserError("--ratios: '%s' must be a share such as 20%% or 0.2".formatted(number));
    }
  }
}
