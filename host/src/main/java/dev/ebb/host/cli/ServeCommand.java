package dev.ebb.host.cli;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.PoolSize;
import dev.ebb.host.serve.Serving;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.wiring.Host;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ebb serve}: the process that clients connect to. Ends on SIGTERM or SIGINT. */
@Command(
    name = "serve",
    description = "Serves clients that speak RESP, Redis' protocol, from a pool outside the heap",
    footer = {
      "",
      "Examples:",
      "  ebb serve",
      "  ebb serve --pool-size '8 GiB' --eviction-policy arc",
      "  redis-cli -p 6380 set greeting hello"
    })
final class ServeCommand implements Callable<Integer> {

  private static final Duration GRACE = Duration.ofSeconds(5);

  @Spec private CommandSpec spec;
  @Mixin private ConfigOption config;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port, 0 for any free one; by default ebb.server.port")
  private @Nullable Integer port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The address to listen on; by default ebb.server.bind")
  private @Nullable String bind;

  @Option(
      names = "--pool-size",
      paramLabel = "SIZE",
      description = "The pool: 8 GiB, or '60 %%' of the memory available; by default ebb.pool.size")
  private @Nullable String poolSize;

  @Option(
      names = "--eviction-policy",
      paramLabel = "NAME",
      description = "Who leaves when the pool is full; by default ebb.eviction.policy")
  private @Nullable String policy;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ServeCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    LoadedConfig loaded = config.load();
    EbbConfig chosen = chosen(loaded.config());
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (Host host = Host.open(new LoadedConfig(chosen, loaded.problems()))) {
      host.verify();
      try (Serving serving = Serving.start(host)) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stopped, ended), "shutdown"));
        announce(serving);
        stopped.await();
        serving.drain(GRACE);
      }
    } finally {
      ended.countDown();
    }
    return 0;
  }

  private EbbConfig chosen(EbbConfig read) {
    if (port != null && (port < 0 || port > 65_535)) {
      throw new ParameterException(
          spec.commandLine(), "'--port': '" + port + "' must be 0 to 65535");
    }
    String size = poolSize;
    PoolSize pool =
        size == null
            ? read.pool().size()
            : PoolSize.parse(size)
                .orElseThrow(() ->
                    new ParameterException(
                        spec.commandLine(),
                        "'--pool-size': '%s' must be a size with its unit, such as 8 GiB, or a share such as '60 %%'"
                            .formatted(size)));
    return read.forServing(pool, policy, bind, port);
  }

  private void announce(Serving serving) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "ebb: serving RESP on %s:%d, pool %s, policy %s"
            .formatted(
                serving.address().getAddress().getHostAddress(),
                serving.address().getPort(),
                ByteSize.format(serving.poolBytes()),
                serving.policy()));
    out.flush();
  }

  /** The process ends with this thread, so it waits until everything is closed. */
  private static void stop(CountDownLatch stopped, CountDownLatch ended) {
    stopped.countDown();
    try {
      ended.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
