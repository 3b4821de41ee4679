package dev.ebb.host.cli.bench;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ValueSizes;
import dev.ebb.host.loadgen.traffic.TraceTraffic;
import dev.ebb.host.loadgen.traffic.TraceTrafficOptions;
import dev.ebb.host.loadgen.traffic.TraceTrafficOptions.Tiling;
import dev.ebb.host.loadgen.traffic.TraceTrafficResult;
import dev.ebb.host.loadgen.traffic.TraceTrafficText;
import dev.ebb.host.text.Format;
import dev.ebb.host.trace.TraceCursor;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of {@code ebb replay --through}: running servers that a trace is sent to. */
public final class ThroughGroup {

  private static final int MOST_CONNECTIONS = 1_000;
  private static final int MOST_RANKS = 64;

  /** Options of a simulation, which a server decides for itself. */
  private static final List<String> OF_SIMULATIONS =
      List.of(
          "--policies",
          "--jar",
          "--capacity",
          "--tiers",
          "--model",
          "--html",
          "--jobs",
          "--repeat",
          "--seeds",
          "--min-access-count",
          "--lookahead",
          "--stacktrace");

  @Option(
      names = "--through",
      required = true,
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      description =
          "Sends the requests to a RESP server (Ebb or Redis): looks chunks up from the front with"
              + " EXISTS, GETs those found, SETs the rest; and shows the prefix hits that a client"
              + " sees. With several servers, each request goes to one of them")
  private String addresses;

  @Option(
      names = "--shape",
      paramLabel = "SHAPE",
      defaultValue = "lmcache-mp",
      description =
          "The commands of each request: lmcache-mp (multiprocess mode: EXISTS for all chunks, GET"
              + " for the prefix found, SET for the rest, each cut into tiles for --workers"
              + " connections), or lmcache-redis (in-process mode: EXISTS until a chunk is missing,"
              + " then GETs and SETs, on one connection for each rank)")
  private TraceTrafficOptions.Shape shape = TraceTrafficOptions.Shape.LMCACHE_MP;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "8",
      description = "Connections of each engine, in lmcache-mp")
  private int workers;

  @Option(
      names = "--l1",
      paramLabel = "CHUNKS",
      defaultValue = "0",
      description =
          "How many chunks fit in the memory of each engine itself, in lmcache-mp: only what it"
              + " lacks is requested, and its hits count")
  private long localChunks;

  @Option(
      names = "--prompts",
      paramLabel = "N",
      defaultValue = "1",
      description = "Prompts that each engine has in flight, in lmcache-mp")
  private int prompts;

  @Option(
      names = "--scramble",
      description =
          "In lmcache-mp, starts and advances tiles in random order, as a server with many cores"
              + " or a slow network may see them")
  private boolean scrambled;

  @Option(
      names = "--chunk-by-chunk",
      description =
          "With --groups, sends the commands for all objects of a chunk together, as older versions"
              + " of LMCache do; by default group by group")
  private boolean chunkByChunk;

  @Option(
      names = "--route",
      paramLabel = "HOW",
      description =
          "The server of each request: round-robin (one after the other; default), hash (of the"
              + " first chunk), or affinity (the node that the first server, a node of an Ebb"
              + " cluster, ranks first for the chunks)")
  private TraceTrafficOptions.@Nullable Routing routing;

  @ArgGroup(exclusive = false)
  private @Nullable PasswordOptions password;

  @ArgGroup(exclusive = false)
  private @Nullable RespTls tls;

  @Option(
      names = "--value-size",
      paramLabel = "SIZE",
      defaultValue = "4 KiB",
      description = "Size of a chunk, or several with weights: '4 KiB:3,64 KiB:1'")
  private String valueSize;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Engines, each with connections of its own to each server, and one request at a time"
              + " unless there are --prompts")
  private int connections;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "In lmcache-redis, workers of each engine (tensor parallel), each with a connection and a"
              + " value of each chunk; a chunk hits if all of them read theirs")
  private int ranks;

  @Option(
      names = "--speed",
      paramLabel = "N",
      defaultValue = "Infinity",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description =
          "Sends requests when the trace says, N times faster; by default as fast as possible."
              + " A policy that learns times of return needs this")
  private double speed;

  @Option(
      names = "--in-order",
      description =
          "In lmcache-redis, SETs missing chunks from the front, as one engine with LMCache does;"
              + " by default in any order")
  private boolean inOrder;

  /**
   * Checks the options before anything is sent.
   *
   * @throws UserError if one is wrong, or one of a simulation is given too
   */
  public void check(CommandSpec command) {
    List<BenchTarget> targets = targets();
    if (routing != null && targets.size() == 1) {
      throw new UserError(
          "--route chooses one of several servers, and --through '%s' is one; list all of them, separated by commas"
              .formatted(addresses));
    }
    sizes();
    Usage.between("--connections", connections, 1, MOST_CONNECTIONS);
    Usage.between("--ranks", ranks, 1, MOST_RANKS);
    Usage.between("--workers", workers, 1, MOST_CONNECTIONS);
    Usage.between("--prompts", prompts, 1, MOST_CONNECTIONS);
    checkShape(command);
    if (!(speed > 0)) {
      throw new UserError("--speed '%s' must be above zero".formatted(speed));
    }
    refuse(
        command,
        OF_SIMULATIONS,
        ("%s belongs to a simulated cache, and --through sends the trace to a server; leave one of"
                + " them out")
            ::formatted);
  }

  /** Refuses options that the shape does not have. */
  private void checkShape(CommandSpec command) {
    List<String> others =
        shape == TraceTrafficOptions.Shape.LMCACHE_MP
            ? List.of("--ranks", "--in-order")
            : List.of(
                "--workers", "--l1", "--prompts", "--scramble", "--groups", "--chunk-by-chunk");
    TraceTrafficOptions.Shape other =
        shape == TraceTrafficOptions.Shape.LMCACHE_MP
            ? TraceTrafficOptions.Shape.LMCACHE_REDIS
            : TraceTrafficOptions.Shape.LMCACHE_MP;
    refuse(
        command,
        others,
        name ->
            "%s is not an option of --shape '%s'; leave it out, or add --shape %s"
                .formatted(name, shape, other));
    if (chunkByChunk && Usage.given(command).noneMatch("--groups"::equals)) {
      throw new UserError(
          "--chunk-by-chunk orders the objects of several groups, and there is one; name them with"
              + " --groups, such as --groups full:1,state:3, or leave it out");
    }
    if (scrambled && prompts > 1) {
      throw new UserError(
          "--scramble needs one prompt at a time, and --prompts is '%d'; leave one of them out"
              .formatted(prompts));
    }
    if (localChunks < 0) {
      throw new UserError("--l1 '%d' must not be below zero".formatted(localChunks));
    }
  }

  private static void refuse(
      CommandSpec command, List<String> options, Function<String, String> message) {
    List<String> given = Usage.given(command).toList();
    options.stream()
        .filter(given::contains)
        .findFirst()
        .ifPresent(option -> {
          throw new UserError(message.apply(option));
        });
  }

  private ValueSizes sizes() {
    return Usage.named("--value-size", () -> ValueSizes.parse(valueSize));
  }

  /**
   * Checks the sizes of objects.
   *
   * @throws UserError if one is too large
   */
  public void checkSizes(@Nullable SizedGroups groups) {
    int heaviest = groups == null ? 1 : Collections.max(groups.weights());
    if ((long) sizes().largest() * heaviest > ValueSizes.LARGEST) {
      throw new UserError(
          "--value-size '%s' times the '%d' of --groups is above 512 MiB; use a smaller size"
              .formatted(valueSize, heaviest));
    }
  }

  /** Sends a trace, prints what a client got, and returns whether every reply was right. */
  public boolean replay(
      String name,
      TraceCursor trace,
      @Nullable SizedGroups groups,
      long limit,
      long seed,
      boolean json,
      CommandSpec command) {
    TraceTrafficResult result;
    try (StatusLine line = StatusLine.onStandardError()) {
      result =
          TraceTraffic.run(
              targets(),
              trace,
              new TraceTrafficOptions(
                  shape,
                  tiling(groups),
                  sizes(),
                  connections,
                  ranks,
                  limit,
                  seed,
                  speed,
                  inOrder,
                  routing == null ? TraceTrafficOptions.Routing.ROUND_ROBIN : routing),
              (requests, fraction) -> line.update(() -> progress(name, requests, fraction)));
    }
    PrintWriter out = command.commandLine().getOut();
    out.print(json ? TraceTrafficText.json(name, result) : TraceTrafficText.write(name, result));
    out.flush();
    return result.good();
  }

  private Tiling tiling(@Nullable SizedGroups groups) {
    return groups == null
        ? new Tiling(workers, localChunks, prompts, scrambled)
        : new Tiling(workers, localChunks, prompts, scrambled, groups, chunkByChunk);
  }

  private String progress(String name, long requests, double fraction) {
    return requests == 0
        ? "%s: waiting for the first reply of '%s'".formatted(name, addresses)
        : "%s: %s%s"
            .formatted(
                name,
                Format.count(requests, "request", "requests"),
                Double.isNaN(fraction) ? "" : ", " + Format.percent(fraction));
  }

  private List<BenchTarget> targets() {
    List<BenchTarget> targets =
        Stream.of(addresses.split(",", -1)).map(String::strip).map(this::target).toList();
    Set<String> names = new HashSet<>();
    for (BenchTarget each : targets) {
      if (!names.add(each.toString())) {
        throw new UserError(
            "--through: '%s' is listed twice; list each server once".formatted(each));
      }
    }
    return targets;
  }

  private BenchTarget target(String address) {
    try {
      URI server = new URI("resp://" + address);
      if (server.getHost() != null
          && server.getPort() > 0
          && server.getPort() <= 65_535
          && server.getRawPath().isEmpty()) {
        BenchTarget plain =
            (password == null ? new PasswordOptions() : password)
                .of(new BenchTarget(server.getHost(), server.getPort(), null, 0, null));
        return tls == null ? plain : tls.of(plain);
      }
    } catch (URISyntaxException notAnAddress) {
      // Reported below, as other wrong addresses are.
    }
    throw new UserError(
        "--through: '%s' must be a host and a port, such as 127.0.0.1:6380; several are separated by commas"
            .formatted(address));
  }
}
