package dev.ebb.router.cli;

import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.output.ServerLog;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.engine.EngineConfig;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.text.HttpUrl;
import dev.ebb.router.choice.RoutedEngine;
import dev.ebb.router.choice.RouterOptions;
import dev.ebb.router.choice.RoutingPolicy;
import dev.ebb.router.server.RouterServer;
import dev.ebb.server.cli.ListenOptions;
import dev.ebb.server.cli.ServerStop;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ebb engine route}: serves until it is stopped. */
@Command(
    name = "route",
    description = "Sends requests to the engine where their prompts cost least",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb engine route --engine http://a:8000 --engine http://b:8000",
      "  ebb engine route --engine http://a:8000 --engine http://b:8000 --policy least-loaded",
      "",
      "See docs/engine.md."
    })
final class EngineRouteCommand implements Callable<Integer> {

  /** Engines close idle connections after 5 seconds and more. */
  private static final String IDLE_SECONDS = "4";

  private static final int MOST_SECONDS = 3_600;
  private static final int MOST_REQUEST_TOKENS = 1_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--engine",
      paramLabel = "URL",
      required = true,
      description = "The address of an engine with the OpenAI API; once for each engine")
  private List<String> engines;

  @Mixin private ListenOptions listen;

  @Option(
      names = "--share-prefixes",
      description =
          "Set it if tenants share cached prefixes in the engines; by default"
              + " ebb.engine.share-prefixes")
  private boolean sharePrefixes;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      defaultValue = "prefix",
      description = "How an engine is chosen: prefix (lowest cost), round-robin or least-loaded")
  private String policy;

  @Option(
      names = "--shared-cost",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description =
          "The cost of a token that engines read from an Ebb server which they share"
              + " (ebb.tiers.remote), in computed tokens; 1 without such a server")
  private double sharedCost;

  @Option(
      names = "--request-tokens",
      paramLabel = "N",
      defaultValue = "64",
      description = "The cost of each request that an engine already has, in computed tokens")
  private int requestTokens;

  @Option(
      names = "--health-interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "The time between two checks of an engine")
  private int interval;

  @Mixin private ConfigOption config;

  @Override
  public Integer call() {
    RouterOptions options = options();
    EbbConfig configured = config.load().orThrow();
    ServerLog.use(configured.log().format());
    EngineConfig loaded = configured.engine();
    HttpServer.limitProcess();
    System.setProperty("jdk.httpclient.keepalive.timeout", IDLE_SECONDS);
    try (ServerStop stop = new ServerStop();
        RouterServer server =
            new RouterServer(
                engines.stream().map(this::url).distinct().toList(),
                options,
                listen.http(loaded),
                Duration.ofSeconds(interval),
                sharePrefixes || loaded.sharePrefixes())) {
      stop.listen(spec.commandLine().getErr());
      announce(server);
      stop.await();
    }
    return CommandLine.ExitCode.OK;
  }

  private RouterOptions options() {
    RoutingPolicy chosen =
        Arrays.stream(RoutingPolicy.values())
            .filter(each -> each.toString().equals(policy))
            .findFirst()
            .orElseThrow(() ->
                wrong(
                    "--policy: '%s' must be one of %s"
                        .formatted(policy, List.of(RoutingPolicy.values()))));
    if (!(sharedCost >= 0 && sharedCost <= 1)) {
      throw wrong("--shared-cost: '%s' must be 0 to 1".formatted(sharedCost));
    }
    between("--request-tokens", requestTokens, 0, MOST_REQUEST_TOKENS);
    between("--health-interval", interval, 1, MOST_SECONDS);
    return new RouterOptions(chosen, sharedCost, requestTokens, RouterOptions.DEFAULTS.maxBlocks());
  }

  private void between(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw wrong("%s: '%d' must be %d to %d".formatted(option, value, least, most));
    }
  }

  /** Returns the address without a path, because clients and the router add paths. */
  private String url(String engine) {
    return HttpUrl.server(engine)
        .orElseThrow(() -> wrong("--engine: '%s' %s".formatted(engine, HttpUrl.SERVER)))
        .toString();
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private void announce(RouterServer server) {
    PrintWriter out = spec.commandLine().getOut();
    List<RoutedEngine.Report> known = server.status().engines();
    out.println(
        "ebb: routing at %s://%s:%d/v1, policy %s, engines %d of %d up"
            .formatted(
                server.scheme(),
                server.address().getHostString(),
                server.address().getPort(),
                policy,
                known.stream().filter(each -> each.state() == RoutedEngine.State.UP).count(),
                known.size()));
    known.stream()
        .filter(each -> each.state() != RoutedEngine.State.UP)
        .forEach(
            each -> out.println("ebb: no requests to %s: %s".formatted(each.url(), each.reason())));
    out.flush();
  }
}
