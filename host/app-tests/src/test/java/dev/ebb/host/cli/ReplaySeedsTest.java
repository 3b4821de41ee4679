package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Replays with several seeds. */
class ReplaySeedsTest {

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir private Path home;
  private Path config;
  private Path trace;

  @BeforeEach
  void dropPolicies() {
    Path plugins = Configs.plugins(home);
    PluginJarBuilder.plugin("dice")
        .provider(
            "acme.Dice",
            """
            package acme;

            import dev.ebb.spi.*;

            public final class Dice implements BlockPolicyProvider {
              public String name() { return "dice"; }

              public BlockPolicy<?> create(PolicyContext context) {
                var random = context.random();
                return new RankedBlockPolicy() {
                  protected double rank(Entry entry) { return random.nextDouble(); }
                };
              }
            }
            """)
        .writeTo(plugins, "dice.jar");
    PluginJarBuilder.plugin("acme").policy("oldest").writeTo(plugins, "acme.jar");
    config = Configs.withPlugins(home);
    trace = home.resolve("chat.jsonl");
    run(
        "--synthetic",
        "chat",
        "--requests",
        "400",
        "--save",
        trace.toString(),
        "-c",
        "1",
        "-p",
        "none");
  }

  @Test
  void aRowHasTheMeanAndTheSpreadOfTheSeeds() {
    List<JsonNode> alone =
        LongStream.rangeClosed(7, 11)
            .mapToObj(seed -> row("dice", trace.toString(), "--seed", String.valueOf(seed)))
            .toList();
    double[] ratios =
        alone.stream().mapToDouble(run -> run.get("hitRatio").doubleValue()).toArray();

    JsonNode all = row("dice", trace.toString(), "--seed", "7", "--seeds", "5");

    assertThat(DoubleStream.of(ratios).distinct().count()).isGreaterThan(1);
    assertThat(all.get("hitRatio").doubleValue())
        .isCloseTo(DoubleStream.of(ratios).average().orElseThrow(), within(1e-12));
    JsonNode spread = all.get("spread").get("hitRatio");
    assertThat(all.get("spread").get("seeds").intValue()).isEqualTo(5);
    assertThat(spread.get("min").doubleValue())
        .isEqualTo(DoubleStream.of(ratios).min().orElseThrow());
    assertThat(spread.get("max").doubleValue())
        .isEqualTo(DoubleStream.of(ratios).max().orElseThrow());
    assertThat(spread.get("standardDeviation").doubleValue())
        .isCloseTo(deviation(ratios), within(1e-12));
    assertThat(alone.getFirst().get("spread").isNull()).isTrue();
  }

  @Test
  void aPolicyWithoutRandomnessIsTheSameForAllSeeds() {
    String table = run(trace.toString(), "-c", "5%", "--seeds", "5").out();

    assertThat(table).containsPattern("oldest +[0-9.]+% +0\\.00 +same ");
    assertThat(table).containsPattern("dice +[0-9.]+% +[0-9.]+ +[0-9.]+%\\.\\.[0-9.]+% ");
    assertThat(table).contains("depend on the seed for dice\n");
    assertThat(run(trace.toString(), "-c", "5%", "--seeds", "3", "-p", "oldest").out())
        .contains("all seeds give the same");
  }

  @Test
  void fewSeedsShowNoDeviationAndSayWhy() {
    String table = run(trace.toString(), "-c", "5%", "--seeds", "4").out();

    assertThat(table)
        .containsPattern("dice +[0-9.]+% +- +[0-9.]+%\\.\\.[0-9.]+% ")
        .contains("--seeds 5");
    assertThat(
            row("dice", trace.toString(), "--seeds", "4")
                .at("/spread/hitRatio/standardDeviation")
                .isNull())
        .isTrue();
  }

  @Test
  void aSyntheticTraceIsMadeWithEachSeed() {
    List<JsonNode> alone =
        LongStream.rangeClosed(1, 2)
            .mapToObj(seed -> row("oldest", synthetic("--seed", String.valueOf(seed))))
            .toList();

    JsonNode all = row("oldest", synthetic("--seeds", "2"));

    assertThat(all.get("spread").get("hitRatio").get("min").doubleValue())
        .isEqualTo(
            alone.stream()
                .mapToDouble(run -> run.get("hitRatio").doubleValue())
                .min()
                .orElseThrow());
    assertThat(all.get("references").longValue())
        .isEqualTo(
            Math.round(
                alone.stream()
                    .mapToLong(run -> run.get("references").longValue())
                    .average()
                    .orElseThrow()));
    assertThat(all.get("optimumHitRatio").doubleValue()).isBetween(0.1, 1.0);
  }

  @Test
  void aStreamIsReplayedWithAllSeedsInOnePass() throws Exception {
    JsonNode file = row("dice", trace.toString(), "--seeds", "2");
    JsonNode stream;
    try (var in = Files.newInputStream(trace)) {
      var before = System.in;
      System.setIn(in);
      try {
        stream = row("dice", "-", "--seeds", "2");
      } finally {
        System.setIn(before);
      }
    }

    assertThat(stream.get("spread").get("hitRatio")).isEqualTo(file.get("spread").get("hitRatio"));
  }

  @Test
  void thePageShowsTheSpread() throws Exception {
    Path page = home.resolve("page.html");

    run(trace.toString(), "-c", "50", "--seeds", "2", "--html", page.toString());

    assertThat(page).content().contains("\"spread\" : {", "\"standardDeviation\" : ");
  }

  @Test
  void wrongSeedsAreWrongUsage() {
    Run none = run(trace.toString(), "--seeds", "0");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("--seeds: '0'", "1 to 1000");

    Run saved =
        run("--synthetic", "chat", "--seeds", "2", "--save", home.resolve("x.jsonl").toString());
    assertThat(saved.exitCode()).isEqualTo(2);
    assertThat(saved.err()).contains("--save", "--seeds '2'", "leave one of them out");
  }

  private static double deviation(double[] values) {
    double mean = DoubleStream.of(values).average().orElseThrow();
    double squares = DoubleStream.of(values).map(value -> Math.pow(value - mean, 2)).sum();
    return Math.sqrt(squares / (values.length - 1));
  }

  private static String[] synthetic(String... more) {
    List<String> all = new ArrayList<>(List.of("--synthetic", "chat", "--requests", "300"));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private JsonNode row(String policy, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("-c", "60", "-p", policy, "--json"));
    Run run = run(all.toArray(String[]::new));
    assertThat(run.exitCode()).as(run.err()).isZero();
    return JSON.readTree(run.out()).get("runs").get(0);
  }

  private Run run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("replay", "--config", config.toString()));
    all.addAll(List.of(arguments));
    return Run.of(all.toArray(String[]::new));
  }
}
