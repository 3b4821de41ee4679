package dev.ebb.host.cli.bench;

import dev.ebb.host.cli.options.AdminAddress;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchLoad;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.Comparison;
import dev.ebb.host.loadgen.ValueSizes;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@code ebb bench}. */
public final class BenchGroup {

  /** The kinds of requests. */
  public enum Kind {
    GET,
    SET,
    MIXED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final long LONGEST_SECONDS = 1_000_000;
  private static final long DEFAULT_SECONDS = 10;

  @Mixin private RespAddress address;

  @Option(
      names = "--server-pid",
      paramLabel = "PID",
      defaultValue = "0",
      showDefaultValue = Help.Visibility.NEVER,
      description = "The server's process id on this machine, to report its CPU time too")
  private long serverPid;

  @Option(
      names = "--command",
      paramLabel = "KIND",
      defaultValue = "mixed",
      description = "get, set, or mixed")
  private Kind kind;

  @Option(
      names = "--get-ratio",
      paramLabel = "R",
      defaultValue = "0.9",
      description = "mixed: how many of the requests are GETs, 0 to 1")
  private double getRatio;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Different keys")
  int keys;

  @Option(
      names = "--skew",
      paramLabel = "S",
      defaultValue = "0",
      description =
          "The k-th most popular key is requested in proportion to 1/k^S (Zipf); 0: uniform")
  double skew;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "Requests the block ids of a recorded trace, in its order, instead of --keys; starts"
              + " again when it ends")
  @Nullable String trace;

  @Option(
      names = "--value-size",
      paramLabel = "SIZE",
      defaultValue = "64 KiB",
      description = "Size of the values, or several with weights: '4 KiB:3,1 MiB:1'")
  private String valueSize;

  @Option(names = "--fill", description = "SETs every key once before anything is measured")
  private boolean fill;

  @Option(
      names = "--refill",
      description = "SETs a key that was not found, as the user of a cache does")
  private boolean refill;

  @Option(
      names = "--verify",
      description =
          "Compares every value read, and reports how many. Values that a run with other sizes or"
              + " another seed left are counted apart")
  private boolean verify;

  @Option(
      names = {"-c", "--connections"},
      paramLabel = "N",
      defaultValue = "8",
      description = "Connections, all driven by one thread")
  private int connections;

  @Option(
      names = {"-p", "--pipeline"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Requests in flight on each connection")
  private int pipeline;

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      defaultValue = "2s",
      description = "How long the load runs before it is measured: 2s, 1m, or seconds")
  private String warmUp;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      description =
          "Duration of the measurement: 30s, 5m, or seconds; 10s, or as long as --requests takes,"
              + " if not given")
  private @Nullable String duration;

  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "Ends after so many measured requests")
  private @Nullable Long requests;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Decides keys, kinds and values")
  long seed;

  @Option(
      names = "--policies",
      paramLabel = "LIST",
      description =
          "Compares policies of a running Ebb under this load: each is activated in turn. Policy"
              + " rules are paused meanwhile, and the configured policy is restored at the end")
  private @Nullable String policies;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "With --policies: turns of each, which share --duration; fewer than 5 show no margin")
  private int rounds;

  @Option(
      names = "--admin-url",
      paramLabel = "URL",
      description =
          "With --policies: the server's admin address; by default that of the configuration. Its"
              + " token is read from the environment variable EBB_ADMIN_TOKEN")
  private @Nullable String adminUrl;

  @Option(names = "--json", description = "Writes JSON to standard output")
  boolean json;

  /** Returns the policies to compare; none if the server is measured as it is. */
  List<String> policies() {
    if (policies == null) {
      return List.of();
    }
    List<String> names =
        PolicySpec.parseList(policies, "--policies").stream().map(PolicySpec::display).toList();
    if (names.size() < 2 || names.stream().distinct().count() < names.size()) {
      throw new UserError(
          "--policies: '%s' must be two or more different policies".formatted(policies));
    }
    if (kind == Kind.SET) {
      throw new UserError("--policies needs GETs, and --command set has none");
    }
    return names;
  }

  ValueSizes sizes() {
    return Usage.named("--value-size", () -> ValueSizes.parse(valueSize));
  }

  int rounds() {
    return (int) Usage.between("--rounds", rounds, 2, Comparison.MOST_ROUNDS);
  }

  BenchLoad turn(BenchLoad load, int round) {
    return new BenchLoad(
        load.getShare(),
        load.refill(),
        load.verify(),
        0,
        load.connections(),
        load.pipeline(),
        load.warmUp(),
        load.duration().dividedBy(rounds()),
        load.requests(),
        load.seed() + round);
  }

  /** Returns the admin server of the policies to compare. */
  AdminAddress admin() {
    String url = adminUrl;
    return url == null
        ? AdminAddress.configured(address.load(), null, address.tls())
        : AdminAddress.named(
            Usage.named("--admin-url", () -> ServerAddress.parse(url)), null, address.tls()::files);
  }

  BenchTarget target() {
    return address.target(Usage.between("--server-pid", serverPid, 0, Long.MAX_VALUE));
  }

  BenchLoad load() {
    if (fill && trace != null) {
      throw new UserError("--fill works on --keys, not on --trace; use --refill");
    }
    if (!(getRatio >= 0 && getRatio <= 1)) {
      throw new UserError("--get-ratio: '%s' must be 0 to 1".formatted(getRatio));
    }
    Usage.between("--keys", keys, 1, Integer.MAX_VALUE);
    String otherwise = (requests == null ? DEFAULT_SECONDS : LONGEST_SECONDS) + " s";
    return new BenchLoad(
        kind == Kind.GET ? 1 : kind == Kind.SET ? 0 : getRatio,
        refill,
        verify,
        fill ? keys : 0,
        (int) Usage.between("--connections", connections, 1, BenchLoad.MAX_CONNECTIONS),
        (int) Usage.between("--pipeline", pipeline, 1, BenchLoad.MAX_PIPELINE),
        time("--warm-up", warmUp, Duration.ZERO),
        time("--duration", duration == null ? otherwise : duration, Duration.ofMillis(1)),
        requests == null
            ? Long.MAX_VALUE
            : Usage.between("--requests", requests, 1, Long.MAX_VALUE),
        seed);
  }

  private static Duration time(String option, String text, Duration least) {
    return Usage.time(option, text, least, Duration.ofSeconds(LONGEST_SECONDS));
  }
}
